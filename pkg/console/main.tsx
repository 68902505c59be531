import { render } from 'preact';
import { App } from './app/app.tsx';
import { keepCounts } from './app/counts.ts';
import { keepOutbox } from './app/outbox.ts';
import { readSession } from './app/session.ts';
import './app/theme.ts';
import { say } from './parts/toasts.tsx';

const place = document.getElementById('app');
if (!place) throw new Error('the page has no place for the console');
void readSession();
keepCounts();
keepOutbox((text, path) => {
  say(text, { stays: null, action: { label: 'Look', run: () => location.assign(path) } });
});
render(<App />, place);
