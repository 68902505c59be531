import { effect, signal } from '@preact/signals';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const PLACE = 'outrider.theme';
const stored = localStorage.getItem(PLACE);

/** How the console looks: as the system does, unless somebody chose. */
export const theme = signal<Theme>(THEMES.find((one) => one === stored) ?? 'system');

effect(() => {
  const { dataset } = document.documentElement;
  if (theme.value === 'system') {
    delete dataset['theme'];
    localStorage.removeItem(PLACE);
  } else {
    dataset['theme'] = theme.value;
    localStorage.setItem(PLACE, theme.value);
  }
});
