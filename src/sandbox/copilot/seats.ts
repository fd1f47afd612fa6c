import { type Day, dayMs, daysFrom, formatDay } from '../calendar.ts';
import type { Org } from '../world/org.ts';
import type { Person } from '../world/people.ts';
import { presence } from '../world/person-day.ts';
import type { Call } from './call.ts';
import { isPassive } from './person.ts';
import { seatedOn, userId } from './reports.ts';

/** Days that are searched for a person's last activity. */
const REMEMBERED = 60;

/** Answers `copilot/billing`. */
export function seatOverview({ account: { org }, today }: Call) {
  const start = Date.parse(`${formatDay(today).slice(0, 7)}-01`) / dayMs;
  const seats = seatedOn(org, today);
  const active = seats.filter((person) => (lastActive(org, person, today) ?? 0) >= start).length;
  const seat_breakdown = {
    total: seats.length,
    added_this_cycle: seats.filter(({ joined }) => joined >= start).length,
    pending_cancellation: 0,
    pending_invitation: 0,
    active_this_cycle: active,
    inactive_this_cycle: seats.length - active,
  };
  const settings = { seat_management_setting: 'assign_selected', public_code_suggestions: 'block' };
  return { body: { seat_breakdown, ...settings, plan_type: 'business' } };
}

/** Answers `copilot/billing/seats`, in pages that link to each other. */
export function listSeats({ account: { org }, url, today }: Call) {
  const asked = (name: string, otherwise: number) =>
    Math.max(1, Number(url.searchParams.get(name)) || otherwise);
  const [page, size] = [asked('page', 1), Math.min(100, asked('per_page', 50))];
  const all = seatedOn(org, today);
  const last = Math.max(1, Math.ceil(all.length / size));
  const target = (to: number) => `<${url.origin}${url.pathname}?per_page=${size}&page=${to}>`;
  const after = [`${target(page + 1)}; rel="next"`, `${target(last)}; rel="last"`];
  const before = [`${target(page - 1)}; rel="prev"`, `${target(1)}; rel="first"`];
  const links = [...(page > 1 ? before : []), ...(page < last ? after : [])];
  const shown = all.slice((page - 1) * size, page * size);
  return {
    body: { total_seats: all.length, seats: shown.map((person) => seat(org, person, today)) },
    ...(links.length > 0 && { headers: { link: links.join(', ') } }),
  };
}

function seat(org: Org, person: Person, today: Day) {
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
  return daysFrom(today - REMEMBERED, today - 1).findLast(
    (day) => presence(person, org.conditions(day)) === 'active',
  );
}
