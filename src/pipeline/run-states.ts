import type { Instant } from '../catalog/day.ts';
import type { PlatformError } from '../text/errors.ts';
import { type FetchMemory, NOTHING_LEARNED } from './fetch-memory.ts';

/** The outcome of the runs of one (organization, collector), and what they have learned about the platform. Survives a reload. */
export interface RunState {
  readonly running: boolean;
  /** Whether the newest data was requested at least once, successfully or not. */
  readonly tried: boolean;
  readonly lastRunAt: Instant | undefined;
  readonly lastSuccessAt: Instant | undefined;
  readonly lastDurationSeconds: number | undefined;
  readonly failure: { readonly error: PlatformError; readonly since: Instant } | undefined;
  /** By path, when each field that the exporter cannot read was last seen. Then the paths of fields that rows no longer have. */
  readonly unknownFields: ReadonlyMap<string, Instant>;
  readonly missingFields: readonly string[];
  /** By path, the instant of the newest unreadable value of a field. */
  readonly oddFields: ReadonlyMap<string, Instant>;
  /** What earlier runs have shown about fetching days: sizes of windows, days that fail. */
  readonly fetching: FetchMemory;
  /** The last logged problem of an answer, so that it is not logged twice. */
  readonly lastNote: string;
  /** The last logged contradiction between an answer and the settings. */
  readonly lastContradiction: string;
}

/** The state before the first run. */
const NO_RUN: RunState = {
  running: false,
  tried: false,
  lastRunAt: undefined,
  lastSuccessAt: undefined,
  lastDurationSeconds: undefined,
  failure: undefined,
  unknownFields: new Map(),
  missingFields: [],
  oddFields: new Map(),
  fetching: NOTHING_LEARNED,
  lastNote: '',
  lastContradiction: '',
};

/** The state of each (organization, collector). */
export type RunStates = ReturnType<typeof createRunStates>;

/** Creates the states, empty at first. */
export function createRunStates() {
  const states = new Map<string, Map<string, RunState>>();
  function get(org: string, collector: string): RunState {
    return states.get(org)?.get(collector) ?? NO_RUN;
  }
  return {
    get,
    update(org: string, collector: string, change: Partial<RunState>): void {
      const ofOrg = states.get(org) ?? new Map<string, RunState>();
      states.set(org, ofOrg.set(collector, { ...get(org, collector), ...change }));
    },
    /** The failures of an organization's other collectors. */
    failuresOf(org: string, except: string): readonly PlatformError[] {
      const others = [...(states.get(org) ?? [])].filter(([collector]) => collector !== except);
      return others.flatMap(([, { failure }]) => failure?.error ?? []);
    },
    /** Forgets a collector that no longer runs. */
    forget(org: string, collector: string): void {
      states.get(org)?.delete(collector);
      if (states.get(org)?.size === 0) states.delete(org);
    },
  };
}
