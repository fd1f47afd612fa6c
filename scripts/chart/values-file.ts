import { thresholds } from '../../alerts/src/index.ts';

const WIDTH = 110;

/** A values file with the alerts' thresholds, each with its meaning; everything else is unchanged. */
export function withThresholds(values: string): string {
  const lines = Object.entries(thresholds).flatMap(([name, { default: value, unit, description }]) => [
    ...wrapped(`${description.replace(/\.$/, '')} (${unit})`, '    # '),
    `    ${name}: ${value}`,
  ]);
  const block = /(\n {2}thresholds:)(?: \{\})?\n(?: {4}.*\n)*/;
  if (!block.test(values)) throw new Error('helm/values.yaml: no prometheusRule.thresholds');
  return values.replace(block, (_, key: string) => `${key}\n${lines.join('\n')}\n`);
}

function wrapped(text: string, prefix: string): readonly string[] {
  const lines: string[] = [];
  let line = prefix.trimEnd();
  for (const word of text.split(' ')) {
    if (line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = prefix.trimEnd();
    }
    line += ` ${word}`;
  }
  return [...lines, line];
}
