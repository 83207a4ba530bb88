import { launch } from '@keyfold/process/launch';

await launch(import.meta.dirname, async () => {
  const { runCommandLine } = await import('./command-line.js');
  process.exitCode = await runCommandLine(process.argv.slice(2));
});
