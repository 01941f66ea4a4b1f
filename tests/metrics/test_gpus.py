"""The table of GPUs: consistent in itself, and with the figures that NVIDIA publishes."""

import pytest

from course_utils.metrics import GPUS, SMS, Sm

# TFLOPS of FP32 without tensor cores, as NVIDIA's data sheets print them.
PUBLISHED_TFLOPS = {
    "V100 SXM2": "15.7",
    "T4": "8.1",
    "A100 SXM 40 GB": "19.5",
    "A100 SXM 80 GB": "19.5",
    "RTX 3090": "35.6",
    "RTX 4090": "82.6",
    "H100 SXM": "66.9",
    "H200 SXM": "66.9",
}


def test_every_gpu_is_checked() -> None:
    assert set(GPUS) == set(PUBLISHED_TFLOPS)


@pytest.mark.parametrize("name", GPUS)
def test_peak_fp32_is_the_published_figure(name: str) -> None:
    assert f"{GPUS[name].fp32_flops / 1e12:.1f}" == PUBLISHED_TFLOPS[name]


@pytest.mark.parametrize("name", GPUS)
def test_every_number_has_a_source(name: str) -> None:
    gpu = GPUS[name]
    said = " ".join(source.says for source in gpu.sources)
    assert all(source.place for source in gpu.sources)
    for unit in ("Hz", "of L2"):
        assert unit in said
    assert f"{gpu.sms} SMs" in said or f"{128 * gpu.sms} CUDA cores" in said
    assert "B/s" in said or "-bit memory" in said


def test_bandwidth_follows_from_clock_and_width_where_those_are_the_source() -> None:
    assert round(2 * 5001e6 * 256 / 8 / 1e9) == GPUS["T4"].dram_bytes_per_second / 1e9
    assert round(2 * 1593e6 * 5120 / 8 / 1e9) == GPUS["A100 SXM 80 GB"].dram_bytes_per_second / 1e9


@pytest.mark.parametrize("sm", SMS.values(), ids=SMS.keys())
def test_an_sm_is_consistent(sm: Sm) -> None:
    assert list(sm.shared_carveouts) == sorted(set(sm.shared_carveouts))
    assert sm.max_shared_per_block + sm.shared_reserved_per_block == sm.max_shared
    assert any(gpu.sm is sm for gpu in GPUS.values())


def test_hopper_has_what_the_driver_reports() -> None:
    hopper = SMS["9.0"]  # cudaGetDeviceProperties of an H200
    assert (hopper.max_shared, hopper.max_shared_per_block, hopper.registers) == (233472, 232448, 65536)
    assert 32 * hopper.max_warps == 2048
