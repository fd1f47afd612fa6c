import type { Day, Instant } from '../../catalog/day.ts';
import { isoText } from '../status.ts';
import { type Html, html } from './html.ts';
import { dayAgeWords, momentWords } from './words.ts';

/** An instant in words, the exact time on hover; `never` where there is none. */
export function moment(instant: Instant | undefined, now: Instant, never = 'never'): Html {
  const iso = instant === undefined ? null : isoText(instant);
  if (instant === undefined || iso === null) return html`<span class="none">${never}</span>`;
  const exact = `${iso.slice(0, 19).replace('T', ' ')} UTC`;
  return html`<time datetime="${iso}" title="${exact}">${momentWords(instant, now)}</time>`;
}

/** A day and how old it is. */
export function dataDay(day: Day, now: Instant): Html {
  return html`<time datetime="${day}">${day}</time> <small>${dayAgeWords(day, now)}</small>`;
}
