// Shows the SVG that Python drew and tells Python which part was opened. Nothing is computed here.
export default function ({ data, parentElement, setTriggerValue }) {
  const host = parentElement.querySelector(".whole-host");
  if (host.drawn !== data.svg) {
    const drawn = new DOMParser().parseFromString(data.svg, "image/svg+xml").documentElement;
    host.replaceChildren(document.adoptNode(drawn));
    host.drawn = data.svg;
  }
  // Where the picture goes on to the right, its edge fades; one that is seen to its end has a plain edge.
  const fade = () => host.classList.toggle("goes-on", host.scrollWidth - host.clientWidth - host.scrollLeft > 8);
  host.onscroll = fade;
  const resized = new ResizeObserver(fade);
  resized.observe(host);
  const open = (event) => {
    const part = event.target.closest("[data-page]");
    if (!part || (event.type === "keydown" && event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    setTriggerValue("open", part.dataset.page);
  };
  host.onclick = open;
  host.onkeydown = open;
  return () => resized.disconnect();
}
