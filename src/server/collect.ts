const PARAMETER = 'collect[]';

/** The collectors that a query asks for (`collect`, absent where it names none), or what is wrong with it. */
export type CollectQuery = { readonly collect?: readonly string[] } | { readonly problem: string };

const EVERYTHING: CollectQuery = {};

/**
 * Reads `collect[]` from a request's URL. It may be repeated; other parameters are left to whoever sent them,
 * but near misses of this one are refused, because ignoring them would answer with everything.
 */
export function parseCollect(url: string): CollectQuery {
  const start = url.indexOf('?');
  if (start === -1) return EVERYTHING;
  const query = url.slice(start + 1);
  if (!isWellFormed(query)) return { problem: 'The query of this address is not correctly percent-encoded.' };
  const names = new Set<string>();
  for (const [parameter, value] of new URLSearchParams(query)) {
    if (parameter === PARAMETER) {
      if (value === '')
        return { problem: `${PARAMETER} needs the name of a collector, as in ${PARAMETER}=tokens.` };
      names.add(value);
    } else if (parameter.startsWith('collect')) {
      return {
        problem: `The parameter that chooses collectors is written ${PARAMETER}, as in ${PARAMETER}=tokens.`,
      };
    }
  }
  return names.size === 0 ? EVERYTHING : { collect: [...names] };
}

function isWellFormed(query: string): boolean {
  try {
    decodeURIComponent(query);
    return true;
  } catch {
    return false;
  }
}
