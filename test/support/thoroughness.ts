/** Whether every property runs as often as its test says, and with every case, as the storm suite has them do. */
export const hasAllRuns = process.env['PROPERTY_RUNS'] === 'all';

/** Number of runs of a property whose runs are dear: all of them in the storm suite, a fifth in `npm test`. */
export function propertyRuns(all: number): number {
  return hasAllRuns ? all : Math.ceil(all / 5);
}

/** The cases of a test whose cases are dear: all of them in the storm suite, the first ones in `npm test`. */
export function firstCases<Case>(count: number, all: readonly Case[]): readonly Case[] {
  return hasAllRuns ? all : all.slice(0, count);
}
