import type { DayDataset, Reduced } from '../../catalog/dataset.ts';
import type { Count } from '../counts.ts';

/** The stored activity of a day. */
export interface ActivityRow extends Reduced {
  readonly dailyUsers?: number | undefined;
  readonly weeklyUsers?: number | undefined;
  readonly monthlyUsers?: number | undefined;
  /** People by client; users of several clients count in each. */
  readonly byClient?: readonly Count[] | undefined;
  readonly sessions?: number | undefined;
  /** Messages of users and of the agent. */
  readonly messages?: number | undefined;
  readonly userMessages?: number | undefined;
  /** Paid seats. The platform reports only the present number, which is stored with the newest requested day. */
  readonly seats?: number | undefined;
}

/** Weekly and monthly users are not part of the idle row: a day without activity can still have them. */
export const activityDataset: DayDataset<ActivityRow> = {
  kind: 'days',
  name: 'activity',
  idle: { dailyUsers: 0, sessions: 0, messages: 0, userMessages: 0 },
  total: ({ sessions }) => sessions,
  beyondDay: ['weeklyUsers', 'monthlyUsers', 'seats'],
  contradictionIn({ seats }, { contract }) {
    const configured = contract?.seats;
    return seats === undefined || configured === undefined || seats === configured
      ? undefined
      : `${configured} seats are configured, the platform reports ${seats}`;
  },
  parts: {
    day: { members: ['dailyUsers'] },
    week: { members: ['weeklyUsers'] },
    month: { members: ['monthlyUsers'] },
    clients: { members: ['byClient'], breaksDown: ['day'] },
    sessions: { members: ['sessions'] },
    messages: { members: ['messages'] },
    userMessages: { members: ['userMessages'], breaksDown: ['messages'] },
    seats: {
      members: ['seats'],
      // The platform reports only the present number: an answer about an older day has none, so the stored one stays.
      isCoarser: (stored, answered) => stored !== undefined && answered === undefined,
    },
  },
};
