// Starts the language server, and runs check, symmetry and explore for the model that is open.
"use strict";

const { spawn } = require("node:child_process");
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

const LANGUAGES = ["promela", "bmachine", "murphi", "edges"];
let client;
const explorers = new Set();

function setting(name) {
  return vscode.workspace.getConfiguration("quorbit").get(name);
}

/** The file a command is about: that of its lens, else the one in the active editor. */
function modelOf(uri) {
  if (uri) return vscode.Uri.parse(uri).fsPath;
  const editor = vscode.window.activeTextEditor;
  if (!editor) throw new Error("open a model first");
  return editor.document.uri.fsPath;
}

/** Run quorbit in a terminal: words are passed on as they are, never through a shell. */
function runInTerminal(title, words) {
  const task = new vscode.Task(
    { type: "quorbit" },
    vscode.TaskScope.Workspace,
    title,
    "quorbit",
    new vscode.ProcessExecution(setting("path"), words),
  );
  return vscode.tasks.executeTask(task);
}

/** Serve the explorer's page and show it beside the model. */
function explore(model) {
  const server = spawn(setting("path"), ["explore", model, "--no-browser", "--json"]);
  explorers.add(server);
  let told = "";
  server.stdout.on("data", (data) => {
    told += data;
    const end = told.indexOf("\n");
    if (end < 0) return;
    const { address } = JSON.parse(told.slice(0, end));
    told = "";
    vscode.commands.executeCommand("simpleBrowser.show", address);
  });
  let problem = "";
  server.stderr.on("data", (data) => (problem += data));
  server.on("error", (error) => vscode.window.showErrorMessage(`Quorbit: ${error.message}`));
  server.on("exit", (code) => {
    explorers.delete(server);
    if (code) vscode.window.showErrorMessage(`Quorbit: ${problem.trim() || `ended with ${code}`}`);
  });
}

function activate(context) {
  const commands = {
    "quorbit.check": (uri) => runInTerminal("check", ["check", modelOf(uri), ...setting("options")]),
    "quorbit.symmetry": (uri) => runInTerminal("symmetry", ["symmetry", modelOf(uri)]),
    "quorbit.explore": (uri) => explore(modelOf(uri)),
  };
  for (const [name, act] of Object.entries(commands)) {
    const guarded = async (uri) => {
      try {
        await act(uri);
      } catch (error) {
        vscode.window.showErrorMessage(`Quorbit: ${error.message}`);
      }
    };
    context.subscriptions.push(vscode.commands.registerCommand(name, guarded));
  }
  const server = { command: setting("path"), args: ["lsp"] };
  const selector = LANGUAGES.map((language) => ({ scheme: "file", language }));
  client = new LanguageClient("quorbit", "Quorbit", server, { documentSelector: selector });
  client.start().catch((error) => {
    vscode.window.showErrorMessage(`Quorbit: the language server does not start (${error.message}); pip install 'quorbit[editor]'`);
  });
}

async function deactivate() {
  for (const server of explorers) server.kill();
  if (client) await client.stop();
}

module.exports = { activate, deactivate };
