import { describe, expect, test } from 'vitest';
import { type Json, rowsOf, sum } from './asking.ts';
import { billPath, createAsked, newest } from './copilot-face.ts';

const asked = createAsked();
const october = { year: 2026, month: 10 };

async function items(query: Json): Promise<Json[]> {
  return rowsOf((await asked.get(billPath, query)).body, 'usageItems');
}

describe('the bill', () => {
  test('of a day and of a month are of the same items', async () => {
    const { body } = await asked.get(billPath, { ...october, day: 9 });
    expect(body).toMatchObject({ timePeriod: { ...october, day: 9 }, organization: 'acme-org' });
    let gross = 0;
    for (let day = 1; day <= 31; day += 1) gross += sum(await items({ ...october, day }), 'grossQuantity');
    expect(sum(await items(october), 'grossQuantity')).toBeCloseTo(gross, 6);
  });

  test('has fractions, display names, several SKUs for a model, and one without a price', async () => {
    const all = await items(october);
    expect(all.some((item) => !Number.isInteger(item['grossQuantity']))).toBe(true);
    const names = all.map(({ model }) => model);
    expect(names).toContain('Auto: Claude Sonnet 4.6');
    expect(names).toContain('Acme Coder 32b');
    expect(new Set(names).size).toBeLessThan(names.length);
    expect(new Set(all.map(({ sku }) => sku))).toEqual(
      new Set(['Copilot AI Credits', 'Copilot Cloud Agent']),
    );
  });

  test.each([
    ['2026-10-19', 0],
    ['2026-10-20', 0.5],
    ['2026-10-21', 1],
  ])('charges, on %s, %d of what was used: the pool is empty on the 20th', async (date, share) => {
    const [year, month, day] = date.split('-').map(Number);
    for (const item of await items({ year, month, day })) {
      const [gross, discount, net] = ['gross', 'discount', 'net'].map((name) =>
        Number(item[`${name}Quantity`]),
      );
      expect(discount).toBeCloseTo(Number(gross) - Number(net), 9);
      expect(net).toBeCloseTo(Number(gross) * share, 3);
      expect(item['grossAmount']).toBeCloseTo(Number(gross) * 0.01, 9);
      expect(item).toMatchObject({ product: 'Copilot', unitType: 'credits', pricePerUnit: 0.01 });
      expect(Object.keys(item)).toHaveLength(11);
    }
  });

  test('is that of the people, but for what nobody is charged with', async () => {
    let remainders = 0;
    for (const day of [3, 4, 5, 6, 9, 10, 11, 12, 13, 16]) {
      const date = `2026-11-${String(day).padStart(2, '0')}`;
      const gross = sum(await items({ year: 2026, month: 11, day }), 'grossQuantity');
      const people = sum(await asked.rows('users-1-day', date), 'ai_credits_used');
      expect(gross / people).toBeCloseTo(1, 2);
      remainders += Number(Math.abs(gross - people) > 0.01);
    }
    expect(remainders).toBeGreaterThan(0);
    expect(remainders).toBeLessThan(10);
  });

  test('of a person is what the person used', async () => {
    const [person = {}] = await asked.rows('users-1-day', newest);
    const user = String(person['user_login']).toUpperCase();
    const own = await items({ year: 2026, month: 11, day: 17, user });
    expect(sum(own, 'grossQuantity')).toBeCloseTo(Number(person['ai_credits_used']), 6);
    const [{ model } = {}] = own;
    expect(await items({ year: 2026, month: 11, day: 17, user, model })).toEqual([own[0]]);
    expect(await items({ year: 2026, month: 11, day: 17, product: 'Actions' })).toEqual([]);
  });

  test('is empty for today and for days to come, and grows until three days after a day', async () => {
    expect(await items({ year: 2026, month: 11, day: 20 })).toEqual([]);
    expect(await items({ year: 2026, month: 11, day: 30 })).toEqual([]);
    const { clock, get } = createAsked();
    const gross = async () =>
      sum(rowsOf((await get(billPath, { day: 19 })).body, 'usageItems'), 'grossQuantity');
    const first = await gross();
    clock.now += 60 * 3_600_000;
    const final = await gross();
    expect(final).toBeGreaterThan(first);
    clock.now += 60 * 3_600_000;
    expect(await gross()).toBe(final);
  });

  test.each([
    [{}, { year: 2026, month: 11 }],
    [{ day: 3 }, { year: 2026, month: 11, day: 3 }],
    [{ month: 9 }, { year: 2026, month: 9 }],
    [{ year: 2026 }, { year: 2026 }],
  ])('of %o is that of %o', async (query, timePeriod) => {
    expect((await asked.get(billPath, query)).body).toMatchObject({ timePeriod });
  });

  test.each([{ month: 13 }, { month: 2, day: 30 }, { day: 0 }, { year: 'x' }])(
    'of %o is refused',
    async (query) => {
      expect((await asked.get(billPath, query)).status).toBe(400);
    },
  );

  test('of an enterprise is that of its organization', async () => {
    const path = '/enterprises/acme-inc/settings/billing/ai_credit/usage';
    const { body } = await asked.get(path, october, { authorization: 'Bearer sandbox-acme-classic' });
    expect(body).toMatchObject({ enterprise: 'acme-inc', usageItems: await items(october) });
  });
});

describe('seats', () => {
  const path = '/orgs/acme-org/copilot/billing';

  test('are counted', async () => {
    const { body } = await asked.get(path);
    expect(body).toMatchObject({ seat_breakdown: { total: 40 }, plan_type: 'business' });
    const { active_this_cycle: active, inactive_this_cycle: inactive } = body.seat_breakdown;
    expect(active + inactive).toBe(40);
    const early = createAsked();
    early.clock.now = Date.UTC(2026, 1, 1);
    expect((await early.get(path)).body.seat_breakdown.total).toBeLessThan(40);
  });

  test('are listed in pages that link to each other', async () => {
    const logins: string[] = [];
    let next: string | undefined = `${path}/seats?per_page=15`;
    while (next !== undefined) {
      const { body, headers } = await asked.get(next);
      expect(body.total_seats).toBe(40);
      logins.push(...rowsOf(body, 'seats').map((seat) => String((seat['assignee'] as Json)['login'])));
      const link: string | undefined = /<([^>]*)>; rel="next"/.exec(headers['link'] ?? '')?.[1];
      next = link === undefined ? undefined : link.slice(new URL(link).origin.length);
    }
    expect(new Set(logins).size).toBe(40);
    expect((await asked.get(`${path}/seats`, { per_page: 100 })).headers).not.toHaveProperty('link');
  });
});
