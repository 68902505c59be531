import { z } from 'zod';
import { BUDGET_ACTIONS } from '../../domain/actions.ts';
import { DEFAULT_RAMP } from '../../domain/budget.ts';
import { DEFAULT_PACE } from '../../domain/pacing.ts';
import { documentedDefault } from '../documented-default.ts';
import { hoursInput } from '../hours-input.ts';

const limits = z.partialRecord(z.enum(BUDGET_ACTIONS), z.int().min(0).max(10_000));

/** Parameters of svc_update_network_account_settings; absent is unchanged. */
export const settingsInput = z.strictObject({
  networkAccountId: z.string().min(1),
  dailyLimits: limits
    .optional()
    .describe(
      `Action to units per local day; at most what svc_get_network_account_budgets shows as the limit. Actions: ${BUDGET_ACTIONS.join(', ')}.`,
    ),
  weeklyLimits: limits.optional().describe('Action to units per seven local days.'),
  rampUp: z
    .strictObject({
      enabled: z.boolean().optional(),
      days: documentedDefault(z.int().min(1).max(90), DEFAULT_RAMP.days),
      startShare: documentedDefault(z.number().min(0.05).max(1), DEFAULT_RAMP.startShare),
      restart: documentedDefault(z.boolean(), false),
    })
    .optional(),
  businessHours: hoursInput,
  pacing: z
    .strictObject({
      minGapSeconds: documentedDefault(z.int().min(30).max(3600), DEFAULT_PACE.minGapSeconds),
      maxGapSeconds: documentedDefault(z.int().min(60).max(7200), DEFAULT_PACE.maxGapSeconds),
      sessionMinutes: documentedDefault(z.int().min(5).max(240), DEFAULT_PACE.sessionMinutes),
      weekendFactor: documentedDefault(z.number().min(0).max(1), 0).describe(
        'Part of the daily limits on Saturday and Sunday, where business hours are open then.',
      ),
    })
    .optional(),
  workspaceShare: z.number().min(0).max(1).optional().describe("This workspace's guaranteed part of the budget."),
  sharedWith: z
    .array(z.string().min(1).max(100))
    .max(50)
    .optional()
    .describe('Workspaces to which the platform may link this account too; replaced whole, what is linked stays.'),
  paused: z
    .boolean()
    .optional()
    .describe(
      'true: no action until false, from any workspace where yours linked the account first, else from yours alone.',
    ),
});
export type SettingsChange = z.output<typeof settingsInput>;
