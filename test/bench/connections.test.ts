import { describe, expect, test } from 'vitest';
import { createConnections } from '../../bench/load/connections.ts';

describe('the connections of the load client', () => {
  function setUp() {
    const opened: string[] = [];
    const closed: string[] = [];
    const clock = { now: 0 };
    const connections = createConnections({
      open: async (port) => {
        const name = `${port}/${opened.length}`;
        opened.push(name);
        return { scrapeRepeatedly: async () => undefined, close: () => closed.push(name) };
      },
      now: () => clock.now,
    });
    return { opened, closed, clock, connections };
  }

  test('are kept for the next load on the same server', async () => {
    const { opened, closed, clock, connections } = setUp();
    const first = await connections.take(1, 2);
    connections.keep(1, first);
    connections.keep(2, await connections.take(2, 1));
    clock.now = 1999;
    expect(await connections.take(1, 2)).toBe(first);
    expect({ opened, closed }).toEqual({ opened: ['1/0', '1/1', '2/2'], closed: [] });
  });

  test('are replaced before a server closes idle ones', async () => {
    const { opened, closed, clock, connections } = setUp();
    connections.keep(1, await connections.take(1, 1));
    clock.now = 2000;
    await connections.take(1, 1);
    expect({ opened, closed }).toEqual({ opened: ['1/0', '1/1'], closed: ['1/0'] });
  });

  test('are replaced if a load needs another number of them', async () => {
    const { opened, closed, connections } = setUp();
    connections.keep(1, await connections.take(1, 1));
    expect(await connections.take(1, 2)).toHaveLength(2);
    expect({ opened, closed }).toEqual({ opened: ['1/0', '1/1', '1/2'], closed: ['1/0'] });
  });
});
