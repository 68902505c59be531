import type { Doable } from '../store/runs/plan-idle.ts';
import { ACTION_TYPES } from './actions/action-types.ts';
import { CALENDAR_ACTION } from './calendar/calendar-rounds.ts';
import { SCHEDULE_HANDLERS } from './schedule/schedule-handlers.ts';

/** What this program does beyond runs. What a newer one planned is left to it: nobody here looks for it again and again. */
export const DOABLE: Doable = {
  kinds: SCHEDULE_HANDLERS.map((handler) => handler.kind),
  actions: [...ACTION_TYPES.keys(), CALENDAR_ACTION],
};
