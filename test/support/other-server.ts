import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { addDays, type Day, daysFrom, startOf } from '../../src/catalog/day.ts';
import { otherDay } from './other-platform.ts';

/** The key that the simulated platform takes. */
export const OTHER_KEY = 'other-key';

/** Starts the platform, whose days are over at `now`; it is stopped after the test. */
export async function startOtherPlatform(now: () => number): Promise<string> {
  const server = createServer(({ url = '', headers }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://other');
    response.setHeader('Content-Type', 'application/json');
    if (headers['x-other-key'] !== OTHER_KEY || headers.authorization !== undefined)
      return response.writeHead(401).end('{"message": "no"}');
    if (pathname !== '/v9/use') return response.writeHead(404).end('{}');
    const [from, to] = [searchParams.get('from'), searchParams.get('to')] as [Day, Day];
    const over = [...daysFrom(from, to)].filter((day) => startOf(addDays(day, 1)) <= now());
    const days = over.map((day) => {
      const { cents, ...rest } = otherDay(day);
      const amounts = Object.entries(cents).map(([model, amount]) => [model, amount.toFixed(6)]);
      return { day, cents: Object.fromEntries(amounts), ...rest };
    });
    return response.end(JSON.stringify({ account: 'octo', days }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
