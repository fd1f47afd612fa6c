import { dailyCreditsUnattributed } from '../../../src/collectors/tokens/collector.ts';
import { daily } from '../expression.ts';
import { palette } from '../palette.ts';
import { days, type Query } from '../query.ts';

/** The credits of each day that belong to no model, and those that belong to nobody. */
export function unattributed(): readonly Query[] {
  const of = (breakdown: string) =>
    daily(dailyCreditsUnattributed, { by: [], orgs: 'summed', only: { breakdown } });
  return [
    days(of('model'), 'not attributed to models'),
    days(of('user'), 'not attributed to users', { colour: palette.second }),
  ];
}
