import { type Day, endOf } from '../../../src/catalog/day.ts';
import type { OrgSettings } from '../../../src/catalog/settings.ts';
import type { View } from '../../../src/catalog/view.ts';
import { activityDataset } from '../../../src/collectors/activity/dataset.ts';
import { tokensDataset } from '../../../src/collectors/tokens/dataset.ts';
import { createView } from '../../../src/pipeline/view.ts';
import { dayNamed } from '../../support/day.ts';
import { storedOrg } from '../../support/store.ts';
import { createFakeView } from '../fakes.ts';

interface Figures {
  readonly credits: number;
  /** The credits of each model; the tokens are shared evenly. */
  readonly models: Readonly<Record<string, number>>;
  readonly users: number;
  readonly sessions: number;
  /** Half of them input, half output. */
  readonly tokens: number;
}

/** The view at the end of `newest` of an organization with these days. */
export function viewOfDays(
  figures: Readonly<Record<string, Figures>>,
  newest: Day,
  contract: OrgSettings['contract'] = undefined,
): View {
  const days = Object.entries(figures).map(([day, one]) => [dayNamed(day), one] as const);
  const tokens = days.map(([day, { credits, models, tokens: used }]) => {
    const share = used / 2 / Object.keys(models).length;
    const byModel = Object.entries(models).map(([model, of]) => {
      return { model, tier: 'standard', credits: of, input: share, output: share };
    });
    return [day, { credits, tokens: { input: used / 2, output: used / 2 }, byModel }] as const;
  });
  const activity = days.map(([day, { users, sessions }]) => [day, { dailyUsers: users, sessions }] as const);
  const rows = new Map<string, ReadonlyMap<Day, unknown>>([
    ['tokens', new Map(tokens)],
    ['activity', new Map(activity)],
  ]);
  const history = storedOrg({ days: (name) => rows.get(name) });
  const settings = { ...createFakeView({}).settings, contract };
  const datasets = [tokensDataset, activityDataset];
  const historyStart = dayNamed('2026-01-14');
  return createView({ history, settings, datasets, historyStart, firstDay: historyStart }, endOf(newest));
}
