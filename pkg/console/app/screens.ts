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
];
