import type { ComponentType } from 'preact';
import type { IconName } from '../parts/icon.tsx';
import type { ScreenProps } from './screen-props.ts';

/** A screen of a workspace (of the platform, where `platform` is set). It is loaded when it is looked at. */
export interface Screen {
  /** Its part of the address: `/console/w/<workspace>/<path>`, of the platform `/console/platform/<path>`. */
  path: string;
  title: string;
  icon: IconName;
  /** Without it the member sees no entry, and by its address a page that says so. */
  scope: string;
  /** Its place in the navigation. */
  group: 'work' | 'outreach' | 'house' | 'platform';
  platform?: true;
  load: () => Promise<{ default: ComponentType<ScreenProps> }>;
}

/** All screens, in the order of the navigation. */
export const SCREENS: readonly Screen[] = [
  {
    path: 'review',
    title: 'Review',
    icon: 'review',
    scope: 'workflows:read',
    group: 'work',
    load: () => import('../screens/review/review-screen.tsx'),
  },
  {
    path: 'inbox',
    title: 'Inbox',
    icon: 'inbox',
    scope: 'inbox:read',
    group: 'work',
    load: () => import('../screens/inbox/inbox-screen.tsx'),
  },
  {
    path: 'campaigns',
    title: 'Campaigns',
    icon: 'campaign',
    scope: 'campaigns:read',
    group: 'outreach',
    load: () => import('../screens/campaigns/campaigns-screen.tsx'),
  },
  {
    path: 'workflows',
    title: 'Workflows',
    icon: 'workflow',
    scope: 'workflows:read',
    group: 'outreach',
    load: () => import('../screens/workflow/workflow-screen.tsx'),
  },
  {
    path: 'calendar',
    title: 'Content',
    icon: 'calendar',
    scope: 'content:read',
    group: 'outreach',
    load: () => import('../screens/calendar/calendar-screen.tsx'),
  },
  {
    path: 'agents',
    title: 'Agents and watches',
    icon: 'agents',
    scope: 'signals:read',
    group: 'outreach',
    load: () => import('../screens/agents/agents-screen.tsx'),
  },
  {
    path: 'accounts',
    title: 'Accounts',
    icon: 'accounts',
    scope: 'accounts:read',
    group: 'house',
    load: () => import('../screens/accounts/accounts-screen.tsx'),
  },
  {
    path: 'leads',
    title: 'Leads',
    icon: 'leads',
    scope: 'leads:read',
    group: 'outreach',
    load: () => import('../screens/leads/leads-screen.tsx'),
  },
  {
    path: 'playbook',
    title: 'Playbook',
    icon: 'playbook',
    scope: 'workspace:read',
    group: 'house',
    load: () => import('../screens/playbook/playbook-screen.tsx'),
  },
  {
    path: 'notifications',
    title: 'Notifications',
    icon: 'bell',
    scope: 'notifications:read',
    group: 'house',
    load: () => import('../screens/notifications/notifications-screen.tsx'),
  },
  {
    path: 'settings',
    title: 'Settings',
    icon: 'settings',
    scope: 'workspace:read',
    group: 'house',
    load: () => import('../screens/settings/settings-screen.tsx'),
  },
  {
    path: 'workspaces',
    title: 'Workspaces',
    icon: 'platform',
    scope: 'admin:read',
    group: 'platform',
    platform: true,
    load: () => import('../screens/platform/workspaces-screen.tsx'),
  },
  {
    path: 'health',
    title: 'Health',
    icon: 'check',
    scope: 'admin:read',
    group: 'platform',
    platform: true,
    load: () => import('../screens/platform/health-screen.tsx'),
  },
  {
    path: 'dead-letters',
    title: 'Dead letters',
    icon: 'warning',
    scope: 'admin:read',
    group: 'platform',
    platform: true,
    load: () => import('../screens/platform/dead-letters-screen.tsx'),
  },
  {
    path: 'freeze',
    title: 'Send freeze',
    icon: 'pause',
    scope: 'admin:write',
    group: 'platform',
    platform: true,
    load: () => import('../screens/platform/freeze-screen.tsx'),
  },
  {
    path: 'audit',
    title: 'Audit log',
    icon: 'search',
    scope: 'admin:read',
    group: 'platform',
    platform: true,
    load: () => import('../screens/platform/audit-screen.tsx'),
  },
];
