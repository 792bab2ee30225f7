// Elements of the page.

export const $ = (id) => document.getElementById(id);

/** Creates an element. */
export function element(name, properties = {}, children = []) {
  const created = Object.assign(document.createElement(name), properties);
  created.append(...children);
  return created;
}
