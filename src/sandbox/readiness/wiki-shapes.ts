/** The shapes in which deployments send the wiki listing; the first is ours, the last is nobody's. */
export const wikiShapes = ['wikiRuns', 'bare', 'data', 'runs', 'unknown'] as const;
export type WikiShape = (typeof wikiShapes)[number];

/** The shape of that name, ours where there is none. */
export function wikiShape(name: string | undefined): WikiShape {
  return wikiShapes.find((shape) => shape === name) ?? 'wikiRuns';
}
