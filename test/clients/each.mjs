// each.mjs: runs scripts one after another in one process, because loading a client's thousands of
// files takes longer than what the client is then asked to do.
//
// Each line of standard input is JSON: the script, which is beside this one, its arguments, the
// folder to run in and its environment.  Each run evaluates the script again, with a client of its own.
// The answer is a line of JSON: what the script has printed, or what it has thrown.
import { createInterface } from "node:readline";

const answer = process.stdout.write.bind(process.stdout);
let runs = 0;

for await (const line of createInterface({ input: process.stdin })) {
	const { script, args, folder, environment } = JSON.parse(line);
	const result = { printed: "", error: null };
	process.chdir(folder);
	process.argv.splice(2, process.argv.length, ...args);
	Object.assign(process.env, environment);
	console.log = (text) => {
		result.printed += `${text}\n`;
	};
	await import(`./${script}?run=${++runs}`).catch((error) => {
		result.error = error.stack;
	});
	answer(JSON.stringify(result) + "\n");
}
