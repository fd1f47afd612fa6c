import type { HookEvent, SharedEvent } from '../event.ts';
import type { SessionLengths } from '../sessions.ts';
import type { HookSettings, Rule } from '../settings/settings.ts';
import type { Delivery } from './notify.ts';
import { wordsFor } from './words.ts';

export interface Told {
  readonly event: HookEvent;
  readonly shared: SharedEvent;
  readonly lengths: SessionLengths;
  /** Those that apply. */
  readonly rules: readonly Rule[];
  readonly settings: HookSettings;
}

/** What is told by which channel. Where several rules name a channel, the first of them speaks. */
export function deliveriesOf({ event, shared, lengths, rules, settings }: Told): readonly Delivery[] {
  const deliveries = new Map<string, Delivery>();
  for (const rule of rules) {
    const notice = { ...wordsFor(rule, event, lengths), event: shared, extra: asked(rule, event) };
    for (const name of rule.channels) {
      const channel = Object.hasOwn(settings.channels, name) ? settings.channels[name] : undefined;
      if (channel !== undefined && !deliveries.has(name)) deliveries.set(name, { name, channel, notice });
    }
  }
  return [...deliveries.values()];
}

function asked(rule: Rule, event: HookEvent): Readonly<Record<string, unknown>> {
  const names = rule.send.filter((name) => Object.hasOwn(event.fields, name));
  return Object.fromEntries(names.map((name) => [name, event.fields[name]]));
}
