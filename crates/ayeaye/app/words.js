// What the page says in its own words. What phones and models say is shown as it is.
"use strict";

const ENGLISH = {
  starting: "Starting",
  running: "Working",
  asks: "Needs your answer",
  takeover: "Needs your hands",
  TASK_COMPLETED_SUCCESSFULLY: "Done",
  TASK_ABORTED_BY_AGENT: "Given up",
  MAX_STEPS_REACHED: "Out of steps",
  NO_PROGRESS: "Stuck",
  MODEL_FAILED: "The model failed",
  DEVICE_LOST: "The phone is gone",
  CANCELLED: "Stopped",
  USER_PAUSED: "Paused",
  BUDGET_REACHED: "Budget used up",
  SERVER_RESTARTED: "Interrupted",
  STORAGE_FAILED: "Cannot be recorded",
  NOT_STARTED: "Not started",
  MANUAL_STOP_SCREEN_OFF: "Screen off",
  on: "on {0}",
  steps: "Steps",
  screen: "The screen of {0}",
  screenAt: "The screen of {0} at step {1}",
  thePhone: "the phone",
  pause: "Pause",
  stop: "Stop",
  continue: "Continue",
  larger: "Full screen",
  smaller: "Leave full screen",
  question: "The agent asks",
  yes: "Yes",
  no: "No",
  done: "Done, go on",
  send: "Send",
  answer: "Your answer",
  byHand: "Do this by hand on the phone.",
  secret: "Type it on the phone, not here and not in the chat.",
  notice: "Text on the phone's screen may have shaped this question. Give no passwords, codes or card numbers here.",
  unreachable: "The server does not answer. Trying again.",
  noSession: "This call did not start a session.",
  uncertain: "not certain: {0}",
  step: "Step {0}: {1}",
  CLICK: "Tap",
  DOUBLE_CLICK: "Tap twice",
  LONGPRESS: "Press long",
  TYPE: "Type",
  SLIDE: "Swipe",
  DRAG: "Drag",
  SCROLL: "Scroll",
  AWAKE: "Open",
  HOT_KEY: "Press",
  WAIT: "Wait",
  NOTE: "Note",
  INFO: "Ask",
  COMPLETE: "Finish",
  ABORT: "Give up",
};

const CHINESE = {
  starting: "正在开始",
  running: "进行中",
  asks: "需要你的回答",
  takeover: "需要你亲自操作",
  TASK_COMPLETED_SUCCESSFULLY: "已完成",
  TASK_ABORTED_BY_AGENT: "已放弃",
  MAX_STEPS_REACHED: "步数已用完",
  NO_PROGRESS: "没有进展",
  MODEL_FAILED: "模型出错",
  DEVICE_LOST: "手机已断开",
  CANCELLED: "已停止",
  USER_PAUSED: "已暂停",
  BUDGET_REACHED: "预算已用完",
  SERVER_RESTARTED: "已中断",
  STORAGE_FAILED: "无法保存记录",
  NOT_STARTED: "未开始",
  MANUAL_STOP_SCREEN_OFF: "屏幕已关闭",
  on: "{0}",
  steps: "步骤",
  screen: "{0} 的屏幕",
  screenAt: "{0} 在第 {1} 步的屏幕",
  thePhone: "手机",
  pause: "暂停",
  stop: "停止",
  continue: "继续",
  larger: "全屏",
  smaller: "退出全屏",
  question: "助手提问",
  yes: "是",
  no: "否",
  done: "完成，继续",
  send: "发送",
  answer: "你的回答",
  byHand: "请亲自在手机上操作。",
  secret: "请在手机上输入，不要写在这里或聊天里。",
  notice: "这个问题可能受手机屏幕上的文字影响。不要在这里填写密码、验证码或银行卡号。",
  unreachable: "服务器没有响应，正在重试。",
  noSession: "这次调用没有产生会话。",
  uncertain: "不确定：{0}",
  step: "第 {0} 步：{1}",
  CLICK: "点击",
  DOUBLE_CLICK: "双击",
  LONGPRESS: "长按",
  TYPE: "输入",
  SLIDE: "滑动",
  DRAG: "拖动",
  SCROLL: "滚动",
  AWAKE: "打开",
  HOT_KEY: "按键",
  WAIT: "等待",
  NOTE: "记录",
  INFO: "询问",
  COMPLETE: "完成",
  ABORT: "放弃",
};

let chosen = ENGLISH;

// Chooses the language for a BCP 47 tag, and returns the tag of what was chosen.
export function chooseLanguage(tag) {
  const chinese = /^zh\b/i.test(tag || "");
  chosen = chinese ? CHINESE : ENGLISH;
  return chinese ? "zh" : "en";
}

// A text by its name; `{0}` and `{1}` become what is given.
export function say(name, ...given) {
  return chosen[name].replace(/\{(\d)\}/g, (_, number) => given[number]);
}

// Whether there is a text of that name.
export function isSaid(name) {
  return Object.hasOwn(ENGLISH, name);
}
