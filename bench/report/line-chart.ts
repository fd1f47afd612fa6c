/** A line of a chart: its name and its points, `x` and `y` above zero. */
export interface Line {
  readonly name: string;
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

const WIDTH = 720;
const HEIGHT = 400;
const LEFT = 70;
const RIGHT = 170;
const TOP = 40;
const BOTTOM = 50;
/** Distinguishable on a light and on a dark background, and by people who do not distinguish red from green. */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7'];
const GREY = '#808080';

/** A chart with two logarithmic axes, as an SVG document: a cost that grows with the work alone has a slope of 45°. */
export function renderLineChart(
  title: string,
  xTitle: string,
  yTitle: string,
  lines: readonly Line[],
): string {
  const points = lines.flatMap((line) => line.points);
  const x = scale(
    points.map((point) => point.x),
    LEFT,
    WIDTH - RIGHT,
  );
  const y = scale(
    points.map((point) => point.y),
    HEIGHT - BOTTOM,
    TOP,
  );
  const grid = [
    ...x.ticks.map((tick) =>
      [
        `<path d="M${round(x.at(tick))} ${TOP}V${HEIGHT - BOTTOM}"/>`,
        `<text x="${round(x.at(tick))}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${tick}</text>`,
      ].join(''),
    ),
    ...y.ticks.map((tick) =>
      [
        `<path d="M${LEFT} ${round(y.at(tick))}H${WIDTH - RIGHT}"/>`,
        `<text x="${LEFT - 8}" y="${round(y.at(tick)) + 4}" text-anchor="end">${tick}</text>`,
      ].join(''),
    ),
  ];
  const drawn = lines.map(({ name, points: own }, index) => {
    const colour = COLOURS[index % COLOURS.length];
    const at = own.map((point) => `${round(x.at(point.x))} ${round(y.at(point.y))}`);
    const last = own.at(-1);
    return [
      `<path d="M${at.join('L')}" fill="none" stroke="${colour}" stroke-width="2"/>`,
      ...at.map((place) => {
        const [cx, cy] = place.split(' ');
        return `<circle cx="${cx}" cy="${cy}" r="3" fill="${colour}"/>`;
      }),
      last === undefined
        ? ''
        : `<text x="${round(x.at(last.x)) + 8}" y="${round(y.at(last.y)) + 4}" fill="${colour}">${name}</text>`,
    ].join('');
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" fill="${GREY}">
<title>${title}</title>
<text x="${LEFT}" y="20" font-size="14">${title}</text>
<g stroke="${GREY}" stroke-opacity="0.3">${grid.join('').replaceAll('<text', '<text stroke="none"')}</g>
<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 10}" text-anchor="middle">${xTitle}</text>
<text transform="translate(16 ${(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)" text-anchor="middle">${yTitle}</text>
${drawn.join('\n')}
</svg>
`;
}

/** Places values on a logarithmic axis that includes them; ticks are the powers of ten. */
function scale(values: readonly number[], from: number, to: number) {
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))));
  return {
    ticks: Array.from({ length: high - low + 1 }, (_, index) => Number(`1e${low + index}`)),
    at: (value: number) => from + ((Math.log10(value) - low) / (high - low)) * (to - from),
  };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
