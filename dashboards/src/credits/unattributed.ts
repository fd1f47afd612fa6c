import { dailyCreditsUnattributed } from '../../../src/collectors/tokens/collector.ts';
import { daily } from '../expression.ts';
import { palette } from '../palette.ts';
import { days, type Look, type Query } from '../query.ts';

/** The credits of each day that are attributed to no model, and those that are attributed to no user, drawn as given. */
export function unattributed(draw: Pick<Look, 'draw'> = {}): readonly Query[] {
  const of = (breakdown: string) =>
    daily(dailyCreditsUnattributed, { by: [], orgs: 'summed', only: { breakdown } });
  return [
    days(of('model'), 'not attributed to models'),
    days(of('user'), 'not attributed to users', { colour: palette.second, ...draw }),
  ];
}
