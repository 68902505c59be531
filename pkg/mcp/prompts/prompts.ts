import { planCampaign } from './plan-campaign.ts';
import type { Prompt } from './prompt.ts';
import { reviewQueue } from './review-queue.ts';
import { weeklyReport } from './weekly-report.ts';

/** The jobs that people do most, in the order of a client's menu. */
export const PROMPTS: readonly Prompt[] = [planCampaign, reviewQueue, weeklyReport];
