import { addDays, type Day, monthSoFar, restOfMonth } from '../../../../src/catalog/day.ts';
import { monthForecast } from '../../../../src/collectors/month.ts';
import { amountsIn } from '../../../../src/collectors/spend/measure.ts';
import { viewOf } from './view.ts';
import { createOrganization, DAYS, type DayOfPeople, dayAt, WARM_UP } from './world.ts';

/** How far forecasts are from the credits of their month, as shares of it. */
interface Errors {
  /** The mean over the days of the year, without sign. */
  readonly size: number;
  /** The mean of the year, and of the days of January from the fourth on: above 0 where forecasts are too high. */
  readonly bias: number;
  readonly january: number;
}

export interface PooledForecasts {
  readonly people: number;
  readonly years: number;
  readonly published: Errors;
  /** The errors of the mean of the last four days of each weekday, quiet ones among them. */
  readonly ofAllDays: Errors;
}

/** Compares the forecast of each day of some years with what the month came to; spikes are nobody's to foresee. */
export function pooledForecasts(people: number, seeds: readonly number[]): PooledForecasts {
  const published: Forecast[] = [];
  const ofAllDays: Forecast[] = [];
  for (const seed of seeds) {
    const { plain } = createOrganization(seed, people);
    const view = viewOf(plain);
    const credits = new Map(plain.map((day, index) => [dayAt(index), creditsOf(day)]));
    for (let index = WARM_UP; index < DAYS; index++) {
      const day = dayAt(index);
      const ahead = restOfMonth(day);
      if (ahead.length === 0) continue;
      const soFar = sum(monthSoFar(day).map((of) => credits.get(of) ?? 0));
      const actual = soFar + sum(ahead.map((of) => credits.get(of) ?? 0));
      const forecast = monthForecast(amountsIn(view, 'credits'), day) ?? Number.NaN;
      published.push({ day, error: forecast / actual - 1 });
      const plainForecast = soFar + sum(ahead.map((of) => meanOfFour(credits, of, day)));
      ofAllDays.push({ day, error: plainForecast / actual - 1 });
    }
  }
  return { people, years: seeds.length, published: errorsOf(published), ofAllDays: errorsOf(ofAllDays) };
}

interface Forecast {
  readonly day: Day;
  readonly error: number;
}

function errorsOf(forecasts: readonly Forecast[]): Errors {
  const january = forecasts.filter(({ day }) => day.slice(5) >= '01-04' && day.slice(5) <= '01-28');
  return {
    size: mean(forecasts.map(({ error }) => Math.abs(error))),
    bias: mean(forecasts.map(({ error }) => error)),
    january: mean(january.map(({ error }) => error)),
  };
}

/** As the exporter counts them: a day without people has no row. */
function creditsOf({ credits, people }: DayOfPeople): number {
  return people === 0 ? 0 : Math.round(credits);
}

function meanOfFour(credits: ReadonlyMap<Day, number>, ahead: Day, newest: Day): number {
  const found: number[] = [];
  for (let at = addDays(ahead, -7); found.length < 4; at = addDays(at, -7)) {
    if (at <= newest) found.push(credits.get(at) ?? Number.NaN);
  }
  return mean(found);
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}

function mean(amounts: readonly number[]): number {
  return sum(amounts) / amounts.length;
}
