import { type Fault, faultsAt, strikes } from '../../../src/sandbox/faults.ts';
import type { Endpoint } from '../../../src/sandbox/types.ts';
import type { Damage } from './kinds.ts';

/** The faults of one request. */
export interface Faults {
  /** The fault, if it affects this request. */
  strikes(name: Damage): Fault | undefined;
  /** The fault, if it is set here at all; its rate then applies to rows. */
  applies(name: Damage): Fault | undefined;
  /** All faults of a name that are set here: some are set several times with different details. */
  all(name: Damage): readonly Fault[];
}

/** Draws the faults of the request of that number. */
export function drawFaults(
  faults: readonly Fault[],
  target: { readonly endpoint: Endpoint; readonly org: string | undefined },
  seed: number,
  request: number,
): Faults {
  const here = faultsAt(faults, target.endpoint, target.org);
  const applies = (name: Damage) => here.find((fault) => fault.name === name);
  return {
    applies,
    all: (name) => here.filter((fault) => fault.name === name),
    strikes(name) {
      const fault = applies(name);
      return fault !== undefined && strikes(fault, seed, request) ? fault : undefined;
    },
  };
}
