import { ConfigError } from '../text/errors.ts';

const NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

/**
 * Parses labels given as `name=value`. Throws a `ConfigError` for a name that is invalid, repeated, reserved by
 * Prometheus or one of the metrics' own `taken` names.
 */
export function parseLabels(
  texts: readonly string[],
  taken: ReadonlySet<string>,
): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {};
  for (const text of texts) {
    const at = text.indexOf('=');
    const name = text.slice(0, at);
    const value = text.slice(at + 1);
    if (at < 0 || value === '') throw wrong(text, 'is not in the form name=value');
    if (!NAME.test(name)) throw wrong(text, 'does not start with a label name');
    if (name.startsWith('__')) throw wrong(text, 'is reserved by Prometheus');
    if (taken.has(name)) throw wrong(text, `sets the label ${name}, which the metrics already have`);
    if (Object.hasOwn(labels, name)) throw wrong(text, `sets the label ${name} twice`);
    labels[name] = value;
  }
  return labels;
}

function wrong(text: string, problem: string): ConfigError {
  return new ConfigError(
    `--label: ${JSON.stringify(text.slice(0, 60))} ${problem}`,
    'give the labels of the live target, such as --label job=agent-platform --label instance=exporter:9889',
  );
}
