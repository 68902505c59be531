import { refreshList } from '../../store/lists/lead-lists.ts';
import { nextQueryList } from '../../store/lists/query-lists.ts';
import { countsOf } from './counts-of.ts';
import type { ScheduleHandler } from './schedule-handler.ts';

/** Brings the query lists of the campaign up to date, or the one of the settings, one list a step. */
export const refreshQueryLists: ScheduleHandler = {
  kind: 'refresh_query_lists',
  async run({ tx, run, now }, cursor) {
    const done = countsOf(run.result, ['lists', 'leads']);
    const { leadListId } = run.settings;
    const next = await nextQueryList(tx, {
      campaignId: run.campaignId,
      leadListId: typeof leadListId === 'string' ? leadListId : null,
      after: typeof cursor.after === 'string' ? cursor.after : null,
    });
    if (next === undefined) {
      if (leadListId !== undefined && done.lists === 0)
        return { kind: 'failed', result: done, error: `the query list ${String(leadListId)} is gone: name another` };
      return { kind: 'done', result: done };
    }
    const leads = (await refreshList(tx, next, now)) ?? 0;
    return { kind: 'more', cursor: { after: next }, result: { lists: done.lists + 1, leads: done.leads + leads } };
  },
};
