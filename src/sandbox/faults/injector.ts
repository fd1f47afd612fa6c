import { mix, textSeed, unit } from '../random.ts';
import type { Endpoint } from '../types.ts';
import type { FaultName } from './kinds.ts';
import { type Fault, type Faults, parseFaults } from './parse.ts';

/** The target of a fault. */
interface FaultTarget {
  readonly endpoint: Endpoint;
  /** Undefined for a request without a known key. */
  readonly org: string | undefined;
}

/** The faults of one request: each is drawn once, so that repeated calls agree. */
export interface RequestFaults {
  /** The fault, if it affects this request. */
  strikes(name: FaultName): Fault | undefined;
  /** The fault, if it is set here at all; its rate then applies to rows. */
  applies(name: FaultName): Fault | undefined;
  /** All faults of a name that are set here: some are set several times with different details. */
  all(name: FaultName): readonly Fault[];
}

/** Holds the active faults and draws for each request. */
export interface FaultInjector {
  set(texts: readonly string[]): void;
  /** Whether a fault is set for an organization, at any endpoint. */
  isSet(name: FaultName, org: string): boolean;
  forRequest(number: number, target: FaultTarget): RequestFaults;
}

/** Creates an injector; the same seed draws the same faults for the same sequence of requests. */
export function createFaultInjector(seed: number, texts: readonly string[]): FaultInjector {
  let faults: Faults = parseFaults(texts);
  return {
    set(newTexts) {
      faults = parseFaults(newTexts);
    },
    isSet: (name, org) => faults.some((fault) => fault.name === name && (fault.org ?? org) === org),
    forRequest(number, target) {
      const here = faults.filter((fault) => isHere(fault, target));
      const applies = (name: FaultName) => here.find((fault) => fault.name === name);
      return {
        applies,
        all: (name) => here.filter((fault) => fault.name === name),
        strikes(name) {
          const fault = applies(name);
          const drawn = unit(mix(seed, textSeed(name)), number);
          return fault !== undefined && drawn < fault.rate ? fault : undefined;
        },
      };
    },
  };
}

function isHere(fault: Fault, target: FaultTarget): boolean {
  const endpoint = fault.endpoint ?? target.endpoint;
  const org = fault.org ?? target.org;
  return endpoint === target.endpoint && org === target.org;
}
