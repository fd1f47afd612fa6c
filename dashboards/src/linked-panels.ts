import { links } from './links.ts';

/**
 * The ids of the panels that alerts link to, by dashboard and title. They stay wherever a panel moves and whatever it is
 * called, because the rule files in use contain them. The ids of other panels follow from their positions, and are
 * smaller.
 */
export const linkedPanels = {
  health: {
    'Exporters up': 201,
    'History on disk': 202,
    'Configuration valid': 203,
    Collectors: 204,
    'Failing now': 205,
    'Age of the data': 206,
    'Requests per minute, by answer': 207,
    'Records rejected': 208,
    'Values folded into “other”': 209,
    'Metrics dropped': 210,
    'Store usable': 211,
    'Values of renamed labels': 212,
    'Fields that changed': 213,
  },
  credits: {
    'Credits by day': 201,
    'Share of each model by week': 202,
    'Month to date against the budget': 203,
  },
  users: { 'Teams against their budgets': 201 },
  adoption: {
    'Daily, weekly and monthly active people': 201,
    'Average active people per day': 202,
  },
  readiness: {
    'Criteria that changed since the previous report': 201,
    Portfolio: 202,
  },
  usage: { 'Sessions waiting over time': 201 },
} as const satisfies Partial<Record<keyof typeof links, Readonly<Record<string, number>>>>;

/** A dashboard and its panel that shows the cause of an alert. */
export type LinkedPanel = {
  [Name in keyof typeof linkedPanels]: {
    readonly dashboard: Name;
    readonly panel: keyof (typeof linkedPanels)[Name];
  };
}[keyof typeof linkedPanels];

const idsByUid = new Map(
  Object.entries<Readonly<Record<string, number>>>(linkedPanels).map(([name, ids]) => [
    links[name as keyof typeof linkedPanels].uid as string,
    new Map(Object.entries(ids)),
  ]),
);

/** The ids of the panels of a dashboard that alerts link to, by their titles. */
export function linkedIdsOf(uid: string): ReadonlyMap<string, number> {
  return idsByUid.get(uid) ?? new Map();
}

/** The id of a panel that alerts link to. */
export function linkedIdOf({ dashboard, panel }: LinkedPanel): number | undefined {
  return linkedIdsOf(links[dashboard].uid).get(panel);
}
