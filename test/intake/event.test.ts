import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readBatch, readEvent } from '../../src/intake/event.ts';
import { DAY, NOW } from './parts.ts';

const span = { now: NOW, from: NOW - 7 * DAY };
const good = { id: 'e-1', hook_event_name: 'Stop', session_id: 's', occurred_at: NOW };

describe('an event', () => {
  test('is reduced to what is counted: none of its text is stored', () => {
    const event = readEvent({ ...good, message: 'secret', prompt: 'secret', cwd: '/home/secret' }, span);
    expect(Object.keys(event).sort()).toEqual(['at', 'event', 'id', 'reason', 'session', 'waiting']);
    expect(JSON.stringify(event)).not.toMatch(/secret|e-1|"s"/);
    expect(event).toMatchObject({ event: 'Stop', reason: undefined, at: NOW });
  });

  test.each([
    [{ hook_event_name: 'Weird' }, { event: 'other' }],
    [{ hook_event_name: '__proto__' }, { event: 'other' }],
    [{ hook_event_name: 'SessionEnd' }, { event: 'SessionEnd', reason: 'other' }],
    [{ hook_event_name: 'SessionEnd', reason: 'clear' }, { reason: 'clear' }],
    [{ hook_event_name: 'SessionEnd', reason: 'constructor' }, { reason: 'other' }],
    [{ hook_event_name: 'SessionEnd', reason: 7 }, { reason: 'other' }],
    [{ reason: 'clear' }, { reason: undefined }],
    [{ session_id: undefined }, { session: undefined }],
    [{ session_id: null }, { session: undefined }],
    [{ session_id: '' }, { session: undefined }],
    [{ id: 'a'.repeat(128) }, { event: 'Stop' }],
    [{ occurred_at: NOW + 0.5 }, { at: NOW }],
  ])('with %o is accepted', (changes, expected) => {
    expect(readEvent({ ...good, ...changes }, span)).toMatchObject(expected);
  });

  test.each([
    [undefined, 'unknown'],
    [null, 'unknown'],
    [7, 'unknown'],
    ['', 'unknown'],
    ['permission_prompt', 'permission_prompt'],
    ['idle_prompt', 'idle_prompt'],
    ['elicitation_dialog', 'elicitation_dialog'],
    ['auth_success', undefined],
    ['a_new_type', undefined],
  ])('Notification of the type %j begins a wait of the type %j', (type, waiting) => {
    const notification = { ...good, hook_event_name: 'Notification', notification_type: type };
    expect(readEvent(notification, span)).toMatchObject({ event: 'Notification', waiting });
    expect(readEvent({ ...good, notification_type: type }, span)).toMatchObject({ waiting: undefined });
  });

  test.each([
    [{ id: undefined }, 'invalid'],
    [{ id: '' }, 'invalid'],
    [{ id: 'a'.repeat(129) }, 'invalid'],
    [{ id: 'a b' }, 'invalid'],
    [{ id: 'ü' }, 'invalid'],
    [{ id: 7 }, 'invalid'],
    [{ hook_event_name: '' }, 'invalid'],
    [{ hook_event_name: 'x'.repeat(129) }, 'invalid'],
    [{ hook_event_name: ['Stop'] }, 'invalid'],
    [{ session_id: 7 }, 'invalid'],
    [{ session_id: 's'.repeat(257) }, 'invalid'],
    [{ occurred_at: undefined }, 'invalid'],
    [{ occurred_at: '2026-11-20' }, 'invalid'],
    [{ occurred_at: -1 }, 'invalid'],
    [{ occurred_at: 1e300 }, 'invalid'],
    [{ occurred_at: NOW - 7 * DAY - 1 }, 'too_old'],
    [{ occurred_at: NOW / 1000 }, 'too_old'],
  ])('with %o is rejected', (changes, rejection) => {
    expect(readEvent({ ...good, ...changes }, span)).toMatchObject({ rejection });
  });

  test.each([
    ['a year ahead, which says so', NOW + 365 * DAY, NOW + 365 * DAY + 60_000, NOW - 60_000],
    ['a year ahead, which does not', NOW + 365 * DAY, undefined, NOW],
    ['a year behind, which says so', NOW - 365 * DAY, NOW - 365 * DAY + 60_000, NOW - 60_000],
    ['that is set between the event and its sending', NOW + 30 * DAY, NOW, NOW],
    ['that is ahead only for the sending', NOW - DAY, NOW + 8 * DAY, NOW - DAY],
    ['that says nonsense', NOW + 2 * DAY, 1e18, NOW],
  ])('of a clock %s counts', (_, at, sentAt, expected) => {
    expect(readEvent({ ...good, occurred_at: at }, { ...span, sentAt })).toMatchObject({ at: expected });
  });

  test.each([
    ['by a clock that is right', NOW - 9 * DAY, NOW],
    ['by a clock a year behind', NOW - 374 * DAY, NOW - 365 * DAY],
    ['by a clock that is unknown', NOW - 9 * DAY, undefined],
  ])('that waited for nine days %s is too old', (_, at, sentAt) => {
    const event = readEvent({ ...good, occurred_at: at }, { ...span, sentAt });
    expect(event).toMatchObject({ rejection: 'too_old' });
  });

  test('that names the same session or identity has the same digest, any other another', () => {
    const [one, two, three] = ['a', 'a', 'b'].map((text) =>
      readEvent({ ...good, id: text, session_id: text }, span),
    );
    expect(one).toEqual(two);
    expect(one).not.toEqual(three);
  });
});

describe('a body', () => {
  test('is one event or an object with several', () => {
    expect(readBatch(JSON.stringify(good), span)).toMatchObject({
      events: [{ event: 'Stop' }],
      rejected: [],
    });
    const several = JSON.stringify({ events: [good, { ...good, id: '' }, 7, null, [good]] });
    expect(readBatch(several, span)).toMatchObject({ events: [{}], rejected: [{}, {}, {}, {}] });
  });

  test.each(['', 'nope', '[]', 'null', '7', '"x"', '{"events":[]}', '{"events":{}}', '{"events":"x"}'])(
    '%j is malformed',
    (text) => expect(readBatch(text, span).kind).toBe('malformed'),
  );

  test('contains at most a thousand events', () => {
    const events = Array.from({ length: 1001 }, () => good);
    expect(readBatch(JSON.stringify({ events }), span).kind).toBe('too-many');
    expect(readBatch(JSON.stringify({ events: events.slice(1) }), span).kind).toBe('events');
  });

  test('may be nested a hundred thousand levels deep', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    expect(readBatch(`{"events":[${deep}]}`, span)).toMatchObject({ events: [], rejected: [{}] });
    expect(readBatch(deep, span).kind).toBe('malformed');
  });

  test('whatever it is, gives bounded labels and repeats nothing that was sent', () => {
    const planted = fc.constantFrom('planted', '__proto__', 'planted\n"', '\ud800planted');
    const member = fc.oneof(planted, fc.jsonValue(), fc.constant(NOW));
    const anything = fc.oneof(
      fc.record(
        { id: member, hook_event_name: member, session_id: member, reason: member, occurred_at: member },
        { requiredKeys: [] },
      ),
      fc.jsonValue(),
    );
    const body = fc.oneof(
      fc.array(anything, { maxLength: 5 }).map((events) => JSON.stringify({ events })),
      anything.map((value) => JSON.stringify(value)),
      fc.string(),
    );
    fc.assert(
      fc.property(body, (text) => {
        const batch = readBatch(text, span);
        expect(JSON.stringify(batch)).not.toContain('planted');
        if (batch.kind !== 'events') return;
        for (const { event, at } of batch.events) {
          expect(event).toMatch(/^[A-Za-z]{1,20}$/);
          expect(at).toBeLessThanOrEqual(NOW + DAY);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
