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
];
