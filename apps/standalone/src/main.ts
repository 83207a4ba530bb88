import { launch } from '@keyfold/process/launch';

await launch(import.meta.dirname, async () => {
  const { startStandalone } = await import('./start.js');
  await startStandalone();
});
