// Elements of the page.

export const $ = (id) => document.getElementById(id);

/** Creates an element. */
export function element(name, properties = {}, children = []) {
  const created = Object.assign(document.createElement(name), properties);
  created.append(...children);
  return created;
}

/** Puts the board of a seat first. The boards of the seats are the last areas of a drawing. */
export function placeBoardOf(drawing, seat, seats) {
  const areas = drawing.querySelectorAll(".scene-area");
  areas[areas.length - seats + seat]?.classList.add("own");
}

/** Saves a text as a file. */
export function download(text, name, type) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = element("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** Shows a section of the page in place of the others. */
export function showSection(id) {
  for (const section of document.querySelectorAll("main > section")) {
    section.hidden = section.id !== id;
  }
}
