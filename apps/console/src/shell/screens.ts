import type { ComponentType } from 'preact';
import { t } from '../texts/texts.js';

/** A screen is loaded when somebody opens it. `rest` is the part of the address after the path of the screen, such as an id. */
export type Screen = Readonly<{
  path: string;
  title: () => string;
  for: 'everybody' | 'administrators';
  /** Screens without a place in the navigation are reached from another screen. They need a `rest`. */
  hidden?: true;
  load: () => Promise<{ default: ComponentType<{ rest: string }> }>;
}>;

/** The screens in the order of the navigation. */
export const screens: readonly Screen[] = [
  { path: '/profile', title: () => t.profile.title, for: 'everybody', load: () => import('../account/profile.js') },
  {
    path: '/security',
    title: () => t.security.title,
    for: 'everybody',
    load: () => import('../account/security/security.js'),
  },
  { path: '/keys', title: () => t.keys.title, for: 'everybody', load: () => import('../account/keys/keys.js') },
  { path: '/sessions', title: () => t.sessions.title, for: 'everybody', load: () => import('../account/sessions.js') },
  {
    path: '/secrets',
    title: () => t.secrets.title,
    for: 'everybody',
    load: () => import('../account/secrets/secrets.js'),
  },
  {
    path: '/activity',
    title: () => t.activity.title,
    for: 'everybody',
    load: () => import('../account/activity/activity.js'),
  },
  {
    path: '/overview',
    title: () => t.overview.title,
    for: 'administrators',
    load: () => import('../administration/overview.js'),
  },
  {
    path: '/accounts',
    title: () => t.account.title,
    for: 'administrators',
    hidden: true,
    load: () => import('../administration/account/account.js'),
  },
  {
    path: '/accounts',
    title: () => t.accounts.title,
    for: 'administrators',
    load: () => import('../administration/accounts.js'),
  },
  {
    path: '/access',
    title: () => t.access.title,
    for: 'administrators',
    load: () => import('../administration/access.js'),
  },
  {
    path: '/settings',
    title: () => t.settings.title,
    for: 'administrators',
    load: () => import('../administration/settings.js'),
  },
];

export const START = '/profile';

/** Returns the screen of an address, and the part of the address after its path. */
export function screenOf(path: string): Readonly<{ screen: Screen; rest: string }> | undefined {
  const screen = screens.find((each) => (path === each.path && !each.hidden) || path.startsWith(`${each.path}/`));
  return screen && { screen, rest: path.slice(screen.path.length + 1) };
}
