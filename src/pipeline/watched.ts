import type { FieldWatch } from '../catalog/contract.ts';
import type { Source } from '../catalog/source.ts';

/** Elements of a listing that are looked at: changes of the API concern all. */
const OF_A_LISTING = 100;

/** A source whose answers are compared with a contract. Rows of groups have other fields than those of days. */
export function watched(source: Source, watch: FieldWatch): Source {
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
