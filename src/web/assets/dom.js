// Elements of the page.

export const $ = (id) => document.getElementById(id);

/** Creates an element. */
export function element(name, properties = {}, children = []) {
  const created = Object.assign(document.createElement(name), properties);
  created.append(...children);
  return created;
}

/** Shows a section of the page in place of the others. */
export function showSection(id) {
  for (const section of document.querySelectorAll("main > section")) {
    section.hidden = section.id !== id;
  }
}
