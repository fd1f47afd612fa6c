import { expect, test } from 'vitest';
import { dataPanels, readDashboards } from '../../scripts/dashboards/dashboard.ts';

/** How the query makes the order of a severity: a copy, and another text for one of them. */
const ORDER =
  /^label_replace\(label_join\(.*, "order", "", "severity"\), "order", "(\w+)", "severity", "(\w+)"\)$/;

test('critical alerts are before warnings, and these before mere information', () => {
  const [panel] = readDashboards()
    .flatMap(({ dashboard }) => dataPanels(dashboard))
    .filter(({ title }) => title === 'Alerts that fire');
  const [, text = '', severity] = ORDER.exec(panel?.targets?.[0]?.expr ?? '') ?? [];
  const orderOf = (of: string) => (of === severity ? text : of);
  const sorted = ['info', 'warning', 'critical'].sort((one, other) =>
    orderOf(one) < orderOf(other) ? -1 : 1,
  );
  expect(sorted).toEqual(['critical', 'warning', 'info']);
  const sort = panel?.transformations?.find(({ id }) => id === 'sortBy');
  expect(sort?.options).toEqual({ sort: [{ field: 'Order', desc: false }] });
});
