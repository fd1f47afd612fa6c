import type { Day } from '../catalog/day.ts';

/**
 * The public holidays of a country, given by its two capital letters; undefined if the country is not among those of
 * `date-holidays`, from which the list was generated. Years outside the list have none.
 */
export async function publicHolidaysOf(country: string): Promise<readonly Day[] | undefined> {
  const { default: byCountry } = await import('./public-holidays.json', { with: { type: 'json' } });
  const text = new Map<string, string>(Object.entries(byCountry)).get(country);
  const [always, ...years] = text?.split(';').map((days) => days.split(' ').filter(Boolean)) ?? [];
  return (
    always && years.flatMap(([year, ...single]) => [...always, ...single].flatMap((day) => dayIn(year, day)))
  );
}

/** A day from the last digits of its year, and from its month and day of month. */
function dayIn(year: string | undefined, day: string): Day {
  return `20${year}-${day.slice(0, 2)}-${day.slice(2)}` as Day;
}
