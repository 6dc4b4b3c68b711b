// The sheet in the browser: draws the grids of one payload and says, for any cell, how its number was made.
// rules.js does the arithmetic, reading.js writes it out, layout.js measures, paint.js draws, build.js makes the elements,
// show.js lights what is pointed at, hands.js hears mouse, finger and keys.
// It knows the few rules by which cells are made; which grid is made by which rule comes with the payload.
import { createSheet, receive } from "./build.js";

const sheets = new WeakMap();

export default function ({ data, parentElement, setStateValue, setTriggerValue }) {
  let sheet = sheets.get(parentElement);
  if (!sheet) sheets.set(parentElement, (sheet = createSheet(parentElement)));
  sheet.tellState = setStateValue;
  sheet.tellEvent = setTriggerValue;
  receive(sheet, data);
  return () => {
    sheet.stop();
    sheets.delete(parentElement);
  };
}
