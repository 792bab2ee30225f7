"use strict";
// Charts: numbers on hover, touch and focus, and downloads as CSV and PNG.
const tip = make("div", { className: "tip", role: "tooltip", hidden: true });
document.body.append(tip);

const showTip = (element, text) => {
  tip.textContent = text;
  tip.hidden = false;
  const box = element.getBoundingClientRect();
  const left = Math.min(Math.max(8, box.left + box.width / 2 - tip.offsetWidth / 2), innerWidth - tip.offsetWidth - 8);
  const isAbove = box.top > tip.offsetHeight + 12;
  tip.style.left = `${left + scrollX}px`;
  tip.style.top = `${(isAbove ? box.top - tip.offsetHeight - 6 : box.bottom + 6) + scrollY}px`;
};
const hideTip = () => (tip.hidden = true);

const addTip = (element, text) => {
  element.tabIndex = 0;
  element.setAttribute("aria-label", text);
  for (const event of ["pointerenter", "focus", "click"]) element.addEventListener(event, () => showTip(element, text));
  for (const event of ["pointerleave", "blur"]) element.addEventListener(event, hideTip);
};
addEventListener("keydown", (event) => event.key === "Escape" && hideTip());
addEventListener("scroll", hideTip, { passive: true });

// Arrow keys move between the rows of a chart.
const addArrows = (rows) =>
  rows.forEach((row, index) =>
    row.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
      if (step === undefined || !rows[index + step]) return;
      event.preventDefault();
      rows[index + step].focus();
    }),
  );

// Paints the texts, lines, dots and areas of a figure as they are laid out.
const paint = (figure) => {
  const frame = figure.getBoundingClientRect();
  const scale = 2;
  const canvas = make("canvas", { width: frame.width * scale, height: frame.height * scale });
  const context = canvas.getContext("2d");
  context.scale(scale, scale);
  context.translate(-frame.left, -frame.top);
  context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--paper");
  context.fillRect(frame.left, frame.top, frame.width, frame.height);
  for (const shape of figure.querySelectorAll("svg line, svg circle, svg rect, svg path")) {
    const style = getComputedStyle(shape);
    context.globalAlpha = Number(style.opacity);
    context.strokeStyle = style.stroke;
    context.fillStyle = style.fill;
    context.lineWidth = parseFloat(style.strokeWidth);
    context.setLineDash(style.strokeDasharray === "none" ? [] : style.strokeDasharray.split(",").map(parseFloat));
    const path = new Path2D();
    const box = shape.getBoundingClientRect();
    if (shape.tagName === "path") {
      path.addPath(new Path2D(shape.getAttribute("d")), shape.getScreenCTM());
    } else if (shape.tagName === "circle") {
      path.arc(box.left + box.width / 2, box.top + box.height / 2, Math.max(2, (box.width - context.lineWidth) / 2), 0, 7);
    } else if (shape.tagName === "rect") {
      path.rect(box.left, box.top, box.width, box.height);
    } else {
      path.moveTo(box.left, box.top);
      path.lineTo(box.right, box.bottom);
    }
    if (style.fill !== "none" && shape.tagName !== "line") context.fill(path);
    if (style.stroke !== "none") context.stroke(path);
  }
  context.globalAlpha = 1;
  const texts = document.createTreeWalker(figure, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  while (texts.nextNode()) {
    const node = texts.currentNode;
    const style = getComputedStyle(node.parentElement);
    if (node.parentElement.closest(".tools, [hidden]")) continue;
    // Texts of a drawing are as large as its scale.
    const zoom = node.parentElement.getScreenCTM?.()?.a ?? 1;
    context.font = `${style.fontWeight} ${parseFloat(style.fontSize) * zoom}px ${style.fontFamily}`;
    context.fillStyle = node.parentElement.tagName === "text" ? style.fill : style.color;
    context.textBaseline = "middle";
    // Words are placed one by one, because lines break between them.
    for (const { 0: word, index } of node.textContent.matchAll(/\S+/g)) {
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const box = range.getClientRects()[0];
      if (box) context.fillText(word, box.left, box.top + box.height / 2);
    }
  }
  return canvas;
};

for (const figure of document.querySelectorAll("figure")) {
  const rows = [...figure.querySelectorAll("ul.chart > li:not(.axis)")];
  const points = [...figure.querySelectorAll("circle[data-tip]")];
  rows.forEach((row) => addTip(row, row.querySelector("svg[role=img]")?.getAttribute("aria-label") ?? row.textContent.trim()));
  points.forEach((point) => addTip(point, point.dataset.tip));
  addArrows(rows);
  addArrows(points);
  const caption = figure.querySelector("figcaption").textContent;
  const png = make("button", { type: "button" }, "PNG");
  png.addEventListener("click", () => paint(figure).toBlob((blob) => save(fileName(caption, "png"), blob)));
  const csv = make("button", { type: "button" }, "CSV");
  csv.addEventListener("click", () => {
    const line = (row) => {
      const values = [...row.querySelectorAll(".values > span")].map((value) => value.textContent.trim());
      return [withoutId(row.querySelector(".label")), itemOf(row), ...values];
    };
    const shown = rows.filter((row) => !row.hidden).map(line);
    saveCsv(caption, shown.length > 0 ? [["row", "item", "values"], ...shown] : points.map((point) => [point.dataset.tip]));
  });
  figure.append(make("div", { className: "tools" }, png, csv));
}
