// Shows the picture that Python drew. Nothing is computed here.
export default function ({ data, parentElement }) {
  const host = parentElement.querySelector(".drawing");
  if (host.drawn === data.html) return;
  host.innerHTML = data.html; // every word in it was escaped where it was drawn
  host.setAttribute("aria-label", data.alt);
  host.drawn = data.html;
}
