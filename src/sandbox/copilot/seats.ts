import { type Day, dayMs, formatDay } from '../calendar.ts';
import type { Row } from '../types.ts';
import type { Org } from '../world/org.ts';
import type { Person } from '../world/people.ts';
import { presence } from '../world/person-day.ts';
import { isPassive } from './person.ts';
import { seatedOn, userId } from './reports.ts';

/** Days that are searched for a person's last activity. */
const REMEMBERED = 60;

/** What `copilot/billing` answers. */
export function seatOverview(org: Org, today: Day): Row {
  const start = Date.parse(`${formatDay(today).slice(0, 7)}-01`) / dayMs;
  const seats = seatedOn(org, today);
  const active = seats.filter((person) => (lastActive(org, person, today) ?? 0) >= start).length;
  return {
    seat_breakdown: {
      total: seats.length,
      added_this_cycle: seats.filter(({ joined }) => joined >= start).length,
      pending_cancellation: 0,
      pending_invitation: 0,
      active_this_cycle: active,
      inactive_this_cycle: seats.length - active,
    },
    seat_management_setting: 'assign_selected',
    public_code_suggestions: 'block',
    plan_type: 'business',
  };
}

/** A seat of `copilot/billing/seats`. */
export function seat(org: Org, person: Person, today: Day): Row {
  const last = lastActive(org, person, today);
  return {
    created_at: `${formatDay(person.joined)}T08:00:00Z`,
    pending_cancellation_date: null,
    last_activity_at: last === undefined ? null : `${formatDay(last)}T15:00:00Z`,
    plan_type: 'business',
    assignee: { login: person.login, id: userId(person), type: 'User', site_admin: false },
  };
}

function lastActive(org: Org, person: Person, today: Day): Day | undefined {
  if (isPassive(person)) return undefined;
  return Array.from({ length: REMEMBERED }, (_, back) => today - 1 - back).find(
    (day) => presence(person, org.conditions(day)) === 'active',
  );
}
