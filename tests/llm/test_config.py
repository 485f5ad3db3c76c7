"""judge.toml: what it may say, and what a person is told who got it wrong."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from llm.config import CHEAP, DEFAULT_CAP, KNOWN_PRICES, STRONG, BadConfig, Config, read_config

ROOT = Path(__file__).parents[2]
WHOLE = """
[providers.claude]
kind = "anthropic"
api_key_env = "MY_KEY"

[providers.box]
kind = "openai"
base_url = "http://127.0.0.1:11434/v1"
output_schema = false

[providers.vectors]
kind = "voyage"

[stages.extract]
provider = "box"
model = "small"

[stages.synth]
provider = "claude"
model = "claude-invented"
effort = "high"
thinking = true
max_tokens = 9000
timeout = 90

[stages.embed]
provider = "vectors"
model = "voyage-4"
width = 512

[prices."claude-invented"]
input = 5
output = 25.5

[spend]
cap = 12.5
period = "month"
alert_webhook_env = "HOOK"
"""


def read(tmp_path: Path, text: str, **environ: str) -> Config:
    file = tmp_path / "judge.toml"
    file.write_text(text, encoding="utf-8")
    return read_config(file, environ)


def faults(tmp_path: Path, text: str) -> str:
    with pytest.raises(BadConfig) as caught:
        read(tmp_path, text)
    return str(caught.value)


def test_nothing_set_is_a_judge_without_models() -> None:
    config = read_config(None, {})
    assert (config.source, config.asks_a_model) == ("defaults", False)


def test_one_variable_is_a_whole_set_up_with_a_cap() -> None:
    config = read_config(None, {"ANTHROPIC_API_KEY": "sk-x", "ANTHROPIC_BASE_URL": "http://127.0.0.1:1"})
    extract, synth = config.stage("extract"), config.stage("synth")
    assert extract is not None
    assert synth is not None
    assert (extract.model, synth.model) == (CHEAP, STRONG)
    assert {CHEAP, STRONG} <= set(KNOWN_PRICES)
    assert config.spend.cap == DEFAULT_CAP
    assert config.providers["anthropic"].base_url == "http://127.0.0.1:1"
    assert "sk-x" not in repr(config)


@pytest.mark.parametrize("name", ["VOYAGE_API_KEY", "OPENAI_API_KEY"])
def test_a_key_alone_never_switches_embeddings_or_picks_a_model(name: str) -> None:
    assert not read_config(None, {name: "k"}).asks_a_model


def test_a_whole_file_is_read_with_its_secrets_from_the_environment(tmp_path: Path) -> None:
    config = read(tmp_path, WHOLE, MY_KEY="sk-mine", HOOK="https://h/x")
    assert config.keys == {"claude": "sk-mine", "box": "", "vectors": ""}
    assert config.webhook == "https://h/x"
    synth = config.stage("synth")
    assert synth is not None
    assert (synth.effort, synth.thinking, synth.max_tokens, synth.timeout) == ("high", True, 9000, 90)
    assert config.prices["claude-invented"].output == 25.5
    assert (config.spend.cap, config.spend.period) == (12.5, "month")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("effort =", "efort =", "stages.synth.efort is no key that is known; did you mean 'effort'?"),
        ("[spend]", "[spent]", "spent is no key that is known; did you mean 'spend'?"),
        ("[stages.synth]", "[stages.sinth]", "stages.sinth is no key that is known; did you mean 'synth'?"),
        ("base_url =", "base_ur =", "providers.box.base_ur is no key that is known; did you mean 'base_url'?"),
        ('kind = "voyage"', 'kind = "voyag"', "providers.vectors.kind is 'voyag'"),
        ("cap = 12.5", "cap = -1", "spend.cap: input should be greater than or equal to 0"),
        ("cap = 12.5", 'cap = "12"', "spend.cap: input should be a valid number"),
        ('period = "month"', 'period = "week"', "spend.period: input should be 'process', 'day' or 'month'"),
        ('provider = "claude"', 'provider = "cloude"', "'cloude' is not among [providers]; did you mean 'claude'?"),
        ('model = "small"', "timeout = 5", "stages.extract.model is missing"),
        ('model = "small"', 'model = "small"\neffort = "low"', "no effect unless providers.box.effort is true"),
        ('model = "small"', 'model = "small"\nthinking = true', "stages.extract.thinking is for anthropic"),
        ("width = 512", "", "stages.embed.width is missing"),
        ('provider = "vectors"', 'provider = "claude"', "Anthropic has no embeddings"),
        ('provider = "box"', 'provider = "vectors"', "is Voyage, which only embeds"),
        ('provider = "box"', 'provider = "claude"', "providers.box is used by no stage"),
        ('api_key_env = "MY_KEY"', 'api_key_env = "sk-ant-1"', "has to be the name of an environment variable"),
        ("max_tokens = 9000", "max_tokens = 7", "stages.synth.max_tokens: input should be greater"),
        ("[spend]", "[spend", "not readable TOML"),
    ],
)
def test_a_fault_is_named_with_its_place_and_what_to_do(tmp_path: Path, old: str, new: str, says: str) -> None:
    assert old in WHOLE
    assert says in faults(tmp_path, WHOLE.replace(old, new, 1))


def test_every_fault_is_told_at_once(tmp_path: Path) -> None:
    told = faults(tmp_path, WHOLE.replace("effort =", "efort =").replace("cap =", "cab ="))
    assert "stages.synth.efort" in told
    assert "spend.cab" in told


def test_a_pasted_key_is_refused_and_not_repeated(tmp_path: Path) -> None:
    told = faults(tmp_path, WHOLE.replace('api_key_env = "MY_KEY"', 'api_key = "sk-ant-oops"'))
    assert "holds a secret" in told
    assert "sk-ant-oops" not in told


def test_a_local_stage_takes_no_model(tmp_path: Path) -> None:
    told = faults(tmp_path, '[stages.extract]\nprovider = "local"\nmodel = "x"\n[stages.synth]\nprovider = "local"\n')
    assert "stages.extract.model has no effect" in told
    assert "stages.synth: there is no local model" in told


def test_a_file_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(BadConfig, match="No such file"):
        read_config(tmp_path / "none.toml", {})


def test_the_example_is_whole_and_its_comments_are_the_defaults(tmp_path: Path) -> None:
    text = (ROOT / "judge.example.toml").read_text(encoding="utf-8")
    assert read_config(ROOT / "judge.example.toml", {}).source.endswith("judge.example.toml")
    uncommented = "\n".join(
        line.removeprefix("# ") if line.startswith("# [") or _is_setting(line) else line for line in text.splitlines()
    )
    config = read(tmp_path, uncommented)
    assert config.spend.cap == DEFAULT_CAP
    keys = _keys(tomllib.loads(uncommented))
    from llm import config as module

    for table in (
        module.AnthropicProvider,
        module.OpenAIProvider,
        module.VoyageProvider,
        module.ChatStage,
        module.EmbedStage,
        module.PriceTable,
        module.Spend,
    ):
        assert set(table.model_fields) <= keys, table


def _is_setting(line: str) -> bool:
    return line.startswith("# ") and " = " in line and line[2:].split(" = ")[0].isidentifier()


def _keys(table: object) -> set[str]:
    if not isinstance(table, dict):
        return set()
    return set(table) | {key for value in table.values() for key in _keys(value)}
