import { links } from './links.ts';

/**
 * The ids of the panels that alerts link to, by dashboard and title. They stay wherever a panel moves and whatever it is
 * called, because the rule files in use contain them. The ids of other panels follow from their positions, and are
 * smaller.
 */
export const linkedPanels = {
  'health/Exporters up': 201,
  'health/History on disk': 202,
  'health/Configuration valid': 203,
  'health/Collectors': 204,
  'health/Failing now': 205,
  'health/Age of the data': 206,
  'health/Requests per minute, by answer': 207,
  'health/Records rejected': 208,
  'health/Values folded into “other”': 209,
  'health/Metrics dropped': 210,
  'health/Store usable': 211,
  'health/Values of renamed labels': 212,
  'health/Fields that changed': 213,
  'health/Organizations not polled': 214,
  'credits/Credits by day': 201,
  'credits/Share of each model by week': 202,
  'credits/Month to date against the budget': 203,
  'users/Teams against their budgets': 201,
  'adoption/Daily, weekly and monthly active people': 201,
  'adoption/Average active people per day': 202,
  'readiness/Criteria that changed since the previous report': 201,
  'readiness/Portfolio': 202,
  'usage/Sessions waiting over time': 201,
} as const satisfies Readonly<Record<`${keyof typeof links}/${string}`, number>>;

export type LinkedPanel = keyof typeof linkedPanels;

/** The uid of the dashboard that has a panel. */
export function dashboardUidOf(panel: string): string {
  return links[panel.slice(0, panel.indexOf('/')) as keyof typeof links].uid;
}

/** The ids of the panels of a dashboard that alerts link to, by their titles. */
export function linkedIdsOf(uid: string): ReadonlyMap<string, number> {
  const panels = Object.entries(linkedPanels).filter(([panel]) => dashboardUidOf(panel) === uid);
  return new Map(panels.map(([panel, id]) => [panel.slice(panel.indexOf('/') + 1), id]));
}
