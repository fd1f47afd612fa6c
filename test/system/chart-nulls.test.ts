import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { documentedValues } from '../../scripts/chart/values-docs.ts';
import { CHART, createChart } from './chart.ts';
import { createPrograms } from './programs.ts';
import { requireTool } from './tools.ts';

/** Everything that is off by default, so that each template is rendered. */
const ON = `
organizations: [{name: acme, baseUrl: "https://x", apiKey: {value: k}}]
hooks: {enabled: true, token: {value: t}, ingress: {enabled: true, hosts: [a.example.com]}, httpRoute: {enabled: true, parentRefs: [{name: public}]}}
ingress: {enabled: true, hosts: [b.example.com]}
persistence: {enabled: true}
web: {tls: {enabled: true, secretName: s}}
networkPolicy: {enabled: true}
podDisruptionBudget: {enabled: true}
serviceMonitor: {enabled: true}
podMonitor: {enabled: true}
probe: {enabled: true}
scrapeConfig: {enabled: true}
prometheusRule: {enabled: true, recording: true}
dashboards: {enabled: true}
grafanaDashboards: {enabled: true}
`;
const text = readFileSync(join(CHART, 'values.yaml'), 'utf8');
const documented = documentedValues(text);
/** Kubernetes does without them. */
const REMOVABLE =
  /^(resources|(podSecurity|security)Context|\w+Probe|dashboards\.labels|networkPolicy\.egressPorts)$/;

const isEmpty = (value: unknown) => ['""', 'false', '[]', '{}'].includes(JSON.stringify(value));

type Tree = Record<string, unknown>;

/** Sets a value to null unless it is there. */
function removeAt(tree: Tree, [key = '', ...rest]: readonly string[]): void {
  tree[key] ??= rest.length === 0 ? null : {};
  if (rest.length > 0) removeAt(tree[key] as Tree, rest);
}

describe.runIf(requireTool('helm'))('a value of null', () => {
  const chart = createChart(createPrograms());

  test('is the default where that is empty', async () => {
    const values: Tree = parse(ON);
    for (const { path, default: value } of documented) if (isEmpty(value)) removeAt(values, path);
    expect(await chart.objects({ values: stringify(values) })).toEqual(await chart.objects({ values: ON }));
  });

  test('is refused where the chart needs a value, each by its name', async () => {
    const needed = documented.filter(
      ({ path, default: value }) => !isEmpty(value) && !REMOVABLE.test(path.join('.')),
    );
    expect(needed.length).toBeGreaterThan(50);
    const values: Tree = parse(ON);
    for (const { path } of needed) removeAt(values, path);
    const message = await chart.text({ values: stringify(values) }).then(
      () => '',
      (error: Error) => error.message,
    );
    for (const { path } of needed) {
      const [key = '', ...parents] = path.toReversed();
      expect(message).toContain(`${parents.toReversed().join('.') || '(root)'}: ${key} is required`);
    }
  });

  test.each(Object.keys(parse(text)))('of %s renders, or is one clear error', async (key) => {
    const values = stringify({
      ...parse(ON),
      ...(key === 'organizations' && { demo: true, probe: {}, scrapeConfig: {} }),
      [key]: null,
    });
    const message = await chart.text({ values }).then(
      () => '',
      (error: Error) => error.message,
    );
    if (message !== '') expect(message).toContain(`(root): ${key} is required`);
  });
});
