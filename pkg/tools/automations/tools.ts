import { getAutomationJobs } from './get-automation-jobs.ts';
import { listAutomations } from './list-automations.ts';
import { toggleAutomation } from './toggle-automation.ts';
import { upsertAutomation } from './upsert-automation.ts';

export const automationTools = [listAutomations, upsertAutomation, toggleAutomation, getAutomationJobs];
