import type { FieldWatch } from '../catalog/api-contract.ts';
import type { FetchingCollector } from '../catalog/collector.ts';
import type { Source } from '../catalog/source.ts';

/** Elements of a listing that are looked at: changes of the API concern all. */
const OF_A_LISTING = 100;

/** Begins to compare what a collector gets from a source with its contract, if it has one. */
export async function beginWatch(
  { apiContract }: Pick<FetchingCollector, 'apiContract'>,
  source: Source,
): Promise<{ readonly source: Source; readonly watch: FieldWatch | undefined }> {
  const watch = (await apiContract?.())?.watch();
  return { watch, source: watch === undefined ? source : watched(source, watch) };
}

/** A source whose answers are compared with a contract. Rows of groups have other fields than those of days. */
function watched(source: Source, watch: FieldWatch): Source {
  return {
    async get(request) {
      const answer = await source.get(request);
      if (!('group_by' in request.query)) watch.lookInto(answer.body);
      return answer;
    },
    pages(request, onItems) {
      let left = OF_A_LISTING;
      return source.pages(request, (items) => {
        watch.lookAt(items.slice(0, left));
        left = Math.max(0, left - items.length);
        onItems(items);
      });
    },
    inSlices: (work) => source.inSlices(work),
  };
}
