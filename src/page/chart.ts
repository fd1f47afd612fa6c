import { type Html, html } from './html.ts';

/** The height of every chart, in units of its view box. */
export const HEIGHT = 48;

interface ChartParts {
  /** Unique on the page. */
  readonly id: string;
  readonly title: string;
  /** The same as the chart, in words. */
  readonly described: string;
  readonly width: number;
}

/** An inline SVG that says in words what it shows. */
export function chart({ id, title, described, width }: ChartParts, content: Html): Html {
  return html`<svg class="spark" viewBox="0 0 ${width} ${HEIGHT}" role="img"
preserveAspectRatio="none" aria-labelledby="${id}-t ${id}-d"><title id="${id}-t">${title}</title><desc id="${id}-d">${described}</desc>${content}</svg>`;
}

/** A path in the style of its kind; undefined without steps. */
export function path(kind: string, steps: readonly string[]): Html | undefined {
  return steps.length === 0 ? undefined : html`<path class="${kind}" d="${steps.join('')}"/>`;
}

/** A coordinate to a tenth, which is finer than anything that is seen. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}
