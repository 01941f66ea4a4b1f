"""What the simulator's tests share: the short names of the metrics that they count by hand."""

from __future__ import annotations

from course_utils import simulator

NAMES = {
    "ld_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "ld_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "st_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "st_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "shared_ld": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_st": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "conflicts_ld": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "conflicts_st": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "local_ld": "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    "local_st": "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
    "warp_inst": "ptx__warp_inst_executed.sum",
    "thread_inst": "ptx__thread_inst_executed.sum",
    "divergent": "ptx__branches_divergent.sum",
}


def counted(run: simulator.Run, *names: str) -> tuple[int, ...]:
    """The counts under these short names."""
    return tuple(run.metrics[NAMES[name]] for name in names)
