// The price curve of the workbench: the points of components by their cost.

/** Returns the components with a price: their total cost and points, now and without edits. */
export function pricesOf(tables) {
  const of = (row, side) => {
    const sum = (isOf) => row.values.filter(({ name }) => isOf(name)).map((value) => Number(value[side]));
    const [costs, points] = [sum((name) => name.startsWith("cost.")), sum((name) => name === "points")];
    return costs.length > 0 && points.length === 1 ? [costs.reduce((one, other) => one + other, 0), points[0]] : null;
  };
  const rows = tables.flatMap((table) => table.rows.map((row) => ({ table: table.name, item: row.name, label: row.label, now: of(row, "value"), was: of(row, "unedited") })));
  return rows.filter(({ now }) => now?.every(Number.isFinite));
}

/** Draws the points by cost. `svg` creates an element, and `text` a text at a place; a click calls `find`. */
export function drawPrices(prices, svg, text, find) {
  const highest = (index) => Math.max(1, ...prices.flatMap(({ now, was }) => [now[index], was[index]]));
  const [width, height] = [highest(0) + 0.5, highest(1)];
  const x = (cost) => 24 + (286 * cost) / width;
  const y = (points) => 240 - (220 * points) / height;
  const costs = [...new Set(prices.map(({ now }) => now[0]))].sort((one, other) => one - other);
  const mean = (cost) => {
    const points = prices.flatMap(({ now }) => (now[0] === cost ? [now[1]] : []));
    return points.reduce((one, other) => one + other, 0) / points.length;
  };
  const curve = costs.map((cost) => `${x(cost)} ${y(mean(cost))}`).join("L");
  const marks = [
    svg("path", { class: "axis", d: `M24 20V240H310M${curve}`, fill: "none" }),
    text(24, 14, "points"),
    text(310, 234, "cost", "end"),
    ...costs.map((cost) => text(x(cost), 253, String(cost), "middle")),
    ...[0, height / 2, height].map((points) => text(20, y(points) + 3, String(Math.round(points)), "end")),
  ];
  const places = new Map();
  for (const price of prices) {
    const { label, now, was } = price;
    // Dots of one place stand beside each other.
    const place = now.join();
    const [index, count] = [places.get(place) ?? 0, prices.filter((other) => other.now.join() === place).length];
    places.set(place, index + 1);
    const cx = x(now[0]) + (index - (count - 1) / 2) * Math.min(6, 30 / count);
    const isEdited = was.join() !== place;
    const dot = svg("circle", { cx, cy: y(now[1]), r: isEdited ? 4.5 : 3 }, [svg("title", {}, [`${label}: ${now[1]} points for ${now[0]}`])]);
    dot.addEventListener("click", () => find(price));
    const arrow = [
      svg("circle", { cx: x(was[0]), cy: y(was[1]), r: 3, class: "was" }),
      svg("line", { class: "arrow", x1: x(was[0]), y1: y(was[1]), x2: cx, y2: y(now[1]) }),
    ];
    marks.push(svg("g", { class: isEdited ? "edited" : "" }, [...(isEdited ? arrow : []), dot]));
  }
  return marks;
}
