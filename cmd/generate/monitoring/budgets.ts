import type { Dashboard } from './dashboard.ts';
import { rate } from './quantile.ts';

/** What may still be done today: budgets of accounts, credits, reviews, request limits. */
export const BUDGETS: Dashboard = {
  name: 'budgets',
  title: 'Outrider / Budgets and rate limits',
  description: 'Daily budgets of all accounts, credits, the review queue and the request limits.',
  rows: [
    {
      title: 'Budgets of accounts',
      panels: [
        {
          title: 'Used today',
          description:
            'Share of the units that all accounts have today, by action. Full early means more accounts or fewer leads.',
          unit: 'percentunit',
          queries: [
            ['max by (action) (outrider_budget_used) / max by (action) (outrider_budget_limit > 0)', '{{action}}'],
          ],
        },
        {
          title: 'Units',
          description: 'Used and allowed today.',
          unit: 'short',
          queries: [
            ['max by (action) (outrider_budget_used)', '{{action}} used'],
            ['max by (action) (outrider_budget_limit)', '{{action}} limit'],
          ],
        },
        {
          title: 'Accounts by status',
          description: 'Only ok ones send.',
          unit: 'short',
          queries: [['max by (status) (outrider_network_accounts)', '{{status}}']],
        },
      ],
    },
    {
      title: 'Credits',
      panels: [
        {
          title: 'Credits',
          description: 'Of all workspaces: available, and held for work under way.',
          unit: 'short',
          queries: [['max by (state) (outrider_credits)', '{{state}}']],
        },
        {
          title: 'Credits spent in 24 h',
          description: 'How far the available credits fell; grants in between hide spending.',
          unit: 'short',
          queries: [['clamp_min(-delta(outrider_credits{state="available"}[1d]), 0)', 'spent']],
        },
        {
          title: 'Workspaces short of credits',
          description: 'low: under a tenth of the monthly credits. empty: none at all.',
          unit: 'short',
          queries: [['max by (state) (outrider_workspaces_low_on_credits)', '{{state}}']],
        },
      ],
    },
    {
      title: 'Reviews and request limits',
      panels: [
        {
          title: 'Texts that wait for a person',
          description: 'By channel.',
          unit: 'short',
          queries: [['max by (channel) (outrider_review_queue_items)', '{{channel}}']],
        },
        {
          title: 'Oldest of them',
          description: 'Product time; they expire after their time to review.',
          unit: 's',
          queries: [['max by (channel) (outrider_review_queue_oldest_age_seconds)', '{{channel}}']],
        },
        {
          title: 'Refused by a request limit',
          description: 'Calls per second by category.',
          unit: 'reqps',
          queries: [[rate('outrider_rate_limit_rejections_total', ['category']), '{{category}}']],
        },
      ],
    },
  ],
};
